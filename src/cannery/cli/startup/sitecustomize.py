"""What Python runs at its start where ``cannery exec`` has put this folder on ``PYTHONPATH``.

The processes a program starts (spawned workers, the ranks of ``torch.distributed.run``) are new Pythons: they resolve
the NPU stack's names as their parent does.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec


def _activate() -> None:
    try:
        from cannery.activate import activate
    except ImportError:  # another Python, that has no cannery
        return
    activate(os.environ.get("CANNERY_KEEP", "").split())


def _run_hidden() -> None:
    """Run the environment's own sitecustomize: Python imports only the first one on the path, which is this."""
    own = os.path.dirname(os.path.realpath(__file__))
    spec = PathFinder.find_spec("sitecustomize", [place for place in sys.path if os.path.realpath(place) != own])
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(module_from_spec(spec))


_activate()
_run_hidden()
