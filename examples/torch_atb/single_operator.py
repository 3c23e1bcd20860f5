"""Packs the real rows of a padded batch with one ATB operation, and spreads them again with another."""

import torch
import torch_atb

LENGTHS, MAX_SEQ_LEN, HIDDEN = [3, 5, 1], 8, 16


def main() -> None:
    batch = torch.randn(len(LENGTHS), MAX_SEQ_LEN, HIDDEN).half()
    unpad = torch_atb.Operation(torch_atb.UnpadWithHiddenStateParam(q_seq_len=LENGTHS, max_seq_len=MAX_SEQ_LEN))
    pad = torch_atb.Operation(torch_atb.PadWithHiddenStateParam(q_seq_len=LENGTHS, max_seq_len=MAX_SEQ_LEN))

    (rows,) = unpad.forward([batch])
    print(f"{unpad.name}: {unpad.input_num} in, {unpad.output_num} out, {list(batch.shape)} -> {list(rows.shape)}")
    (padded,) = pad.forward([rows])
    print(f"{pad.name}: {list(rows.shape)} -> {list(padded.shape)}")

    for sample, length in enumerate(LENGTHS):
        assert torch.equal(padded[sample, :length], batch[sample, :length])
        assert not padded[sample, length:].any()

    try:
        unpad.forward([rows])
    except RuntimeError as error:
        print(f"refused: {error}")
    print(f"runs timed: {len(torch_atb.Prof.get_prof_stats().get_run_time_stats(unpad.name))}")


if __name__ == "__main__":
    main()
