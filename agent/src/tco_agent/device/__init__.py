"""Backends that can time work: the CPU, and CUDA or ROCm through torch.cuda."""
