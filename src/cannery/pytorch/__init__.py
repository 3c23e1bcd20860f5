"""The PyTorch face: functions for model code, registered with torch.library."""
