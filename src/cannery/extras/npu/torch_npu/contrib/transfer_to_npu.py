"""``from torch_npu.contrib import transfer_to_npu``: importing it lets scripts written for cuda run on npu."""

from cannery.extras.npu.transfer import transfer

transfer()
