"""What stands on faces and operators, and under none of them: the indexer's tools, ``npu`` as a device of PyTorch.

Nothing below imports a module of this folder.
"""
