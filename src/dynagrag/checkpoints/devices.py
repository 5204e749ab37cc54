"""Where networks run: on a GPU if there is one, unless the user names a device."""

import torch

from dynagrag.core.errors import UsageError


def choose_device(name: str | None = None) -> torch.device:
    """The named device, else the first GPU, else the CPU. UsageError where the named one isn't
    there.
    """
    if name is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu().numpy()
    except (RuntimeError, AssertionError, NotImplementedError) as err:
        raise UsageError(
            f"the device {name!r} can't be used here: {str(err).splitlines()[0]}; leave out"
            " --device, or give cpu"
        ) from err
    return device


def has_bfloat16(device: torch.device) -> bool:
    """Whether the device multiplies numbers of bfloat16 by itself, which is then about twice as
    quick as float32.
    """
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    flags: dict[str, object] = (
        getattr(torch.cpu, "get_capabilities", dict)() if device.type == "cpu" else {}
    )
    return any(
        value is True
        for name, value in flags.items()
        if name in {"avx512_bf16", "amx_bf16", "bf16"}
    )
