#!/usr/bin/env python3
"""All-reduce between PyTorch ranks on several machines: joins them, checks every element, says the bandwidth.

    ringrun -hostfile hostfiles/ab python3 hostfiles/examples/ddp_allreduce.py
    torchrun --nproc_per_node 2 hostfiles/examples/ddp_allreduce.py
    mpirun -np 2 -hostfile hostfiles/ab python3 hostfiles/examples/ddp_allreduce.py --init-method tcp://192.168.1.5:8888

One rank for each GPU through NCCL (LOCAL_RANK says which GPU), or on host memory through gloo where there is none. Rank
and world size come from torchrun's variables, which ringrun sets too, or else from those of mpirun, Slurm or Hydra.

Exit codes: 0 every element was right; 2 a variable or an option is wrong; 3 the ranks could not join; 4 an operation
failed, or did not end in time; 7 a wrong element.
"""
import argparse
import contextlib
import datetime
import os
import re
import socket
import sys
import threading
import time

import torch
import torch.distributed as dist

# The names of (rank, world size, local rank), the launcher nearest to the rank first.
LAUNCHERS = (
    ("RANK", "WORLD_SIZE", "LOCAL_RANK"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
    ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"),
)

NOT_ALL_CAME = "not every rank came: one did not start, was told another address or port, or a firewall stands between"
# What PyTorch, gloo and NCCL say -> what it means here.
CAUSES = (
    (r"EADDRINUSE|[Aa]ddress already in use",
     "the port is taken on this host; choose another (ringrun: --master-port, or none: it finds a free one)"),
    (r"waiting for clients|clients joined|^Socket Timeout", NOT_ALL_CAME),
    (r"connect to|[Cc]onnection refused|No route to host|client socket",
     "nothing can be reached there: rank 0 does not run or listens at another port, or a firewall stands between"),
    (r"[Cc]onnection closed by peer|[Cc]onnection reset by peer|remote process exited",
     "another rank has ended"),
    (r"[Tt]imed out|timeout", "another rank did not take part in time"),
)
# gloo's own connections, between all pairs of ranks, come after the rendezvous.
PAIR = (r"connectFullMesh|SO_ERROR|gloo/transport|Unable to find address for",
        "gloo's own connections between the ranks fail: let GLOO_SOCKET_IFNAME name the network card that "
        "reaches the other hosts (ringrun sets it by itself)")


def end(code, sentence):
    """Ends this process at once: PyTorch's threads and destructors may wait for ranks that are gone."""
    sys.stdout.flush()
    # One write, so that the words of two ranks do not mix.
    sys.stderr.write(f"ddp_allreduce: rank {os.environ.get('RANK', '?')} on {socket.gethostname()}: {sentence}\n")
    sys.stderr.flush()
    os._exit(code)


@contextlib.contextmanager
def step(what, seconds, code, causes=CAUSES, late="another rank is stuck or unreachable, or --timeout too short"):
    """Ends the process where the block fails, or has no end after `seconds`; PyTorch itself does not always give up."""
    # PyTorch's own timeout is as long, and where it works its text says more.
    watch = threading.Timer(seconds + 3, end, (code, f"{what}: {late} (no end after {seconds} s)"))
    watch.daemon = True
    watch.start()
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        text = str(error).strip() or type(error).__name__
        meaning = next((meaning for pattern, meaning in causes if re.search(pattern, text)), "PyTorch failed")
        end(code, f"{what}: {meaning}\n  PyTorch's words: {text.splitlines()[0]}")
    finally:
        watch.cancel()


def byte_size(text):
    match = re.fullmatch(r"([0-9]+)([KMG]?)", text.upper())
    size = int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2]] if match else 0
    if size < 4:
        raise argparse.ArgumentTypeError(f"{text} is no size such as 64M, of 4 bytes or more")
    return size


def positive(text):
    if not re.fullmatch(r"[0-9]+", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 1")
    return int(text)


def read_options():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--init-method", default="env://", metavar="URL",
                         help="where the ranks meet: env:// (MASTER_ADDR and MASTER_PORT), tcp://192.168.1.5:8888")
    options.add_argument("--backend", choices=("nccl", "gloo"), help="default: nccl where this host has a GPU")
    options.add_argument("--size", type=byte_size, default="64M", help="of the data of each rank (default: 64M)")
    options.add_argument("--iterations", type=positive, default=10, metavar="N")
    options.add_argument("--timeout", type=positive, default=60, metavar="SECONDS",
                         help="for joining, and for each operation (default: 60)")
    return options.parse_args()


def read_ranks(init_method):
    """(rank, world size, local rank); torchrun's variables are set to them, since env:// reads those."""
    names = next((names for names in LAUNCHERS if names[0] in os.environ and names[1] in os.environ), None)
    if names is None:
        end(2, "neither RANK and WORLD_SIZE nor another launcher's variables are set: start this by ringrun, torchrun, "
               "mpirun or srun")
    values = []
    for name, torch_name in zip(names, LAUNCHERS[0]):
        text = os.environ.get(name, "0")
        if not text.isdigit():
            end(2, f"{name}={text} is no number")
        os.environ[torch_name] = text
        values.append(int(text))
    rank, world_size, local_rank = values
    if rank >= world_size:
        end(2, f"{names[0]}={rank} is not below {names[1]}={world_size}")
    if init_method == "env://":
        for name in ("MASTER_ADDR", "MASTER_PORT"):
            if not os.environ.get(name):
                end(2, f"{name} is not set: ringrun and torchrun set it; with another launcher say "
                       "--init-method tcp://ADDRESS:PORT, the address being that of rank 0's host")
    return rank, world_size, local_rank


def meeting_place(init_method):
    """ADDRESS:PORT, or a URL of another kind. PyTorch would ask for an unknown name until its timeout."""
    if init_method == "env://":
        address, port = os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"]
    elif init_method.startswith("tcp://"):
        address, _, port = init_method[len("tcp://"):].rpartition(":")
    else:
        return init_method
    if not address or not port.isdigit() or not 0 < int(port) < 65536:
        end(2, f"{init_method} with {address}:{port} is no place to meet: it wants an address and a port below 65536")
    try:
        socket.getaddrinfo(address.strip("[]"), int(port))
    except socket.gaierror:
        end(3, f"this host does not know the name {address}: use the address, or put the name into /etc/hosts")
    return f"{address}:{port}"


def choose_device(backend, local_rank):
    if backend == "gloo":
        return torch.device("cpu")
    count = torch.cuda.device_count()
    # A launcher may show each rank its own GPU alone, and that is then number 0.
    index = 0 if count == 1 and local_rank > 0 and os.environ.get("CUDA_VISIBLE_DEVICES") else local_rank
    if index >= count:
        end(2, f"LOCAL_RANK={local_rank}, but this host shows {count} GPUs: start a rank for each, or --backend gloo")
    torch.cuda.set_device(index)
    return torch.device("cuda", index)


def finish(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def main():
    options = read_options()
    rank, world_size, local_rank = read_ranks(options.init_method)
    backend = options.backend or ("nccl" if torch.cuda.is_available() else "gloo")
    device = choose_device(backend, local_rank)
    place = meeting_place(options.init_method)
    timeout = datetime.timedelta(seconds=options.timeout)
    with step(f"joining at {place}", options.timeout, 3, (PAIR,) + CAUSES, NOT_ALL_CAME):
        if options.init_method == "env://":
            dist.init_process_group(backend, timeout=timeout)
        else:
            dist.init_process_group(backend, init_method=options.init_method, rank=rank, world_size=world_size,
                                    timeout=timeout)
    name = f", {torch.cuda.get_device_name(device)}" if device.type == "cuda" else ""
    print(f"rank {rank} of {world_size} on {socket.gethostname()}: {device}{name}, {backend}, met at {place}",
          flush=True)

    # Whole numbers below 2**24, so that every sum is exact and the order of the additions does not matter.
    count = options.size // 4
    pattern = torch.arange(count, device=device) % 1021
    own = (pattern + rank).float()
    expected = (pattern * world_size + world_size * (world_size - 1) // 2).float()
    with step("the all-reduce", options.timeout, 4):
        data = own.clone()
        dist.all_reduce(data)
        finish(device)
        wrong = torch.nonzero(data != expected)
        if len(wrong) > 0:
            at = int(wrong[0])
            end(7, f"{len(wrong)} of {count} elements are wrong; the first, [{at}], is {data[at]}, not {expected[at]}")
    elapsed = 0.0
    for _ in range(options.iterations):
        with step("the timed all-reduce", options.timeout, 4):
            data.copy_(own)
            finish(device)
            start = time.perf_counter()
            dist.all_reduce(data)
            finish(device)
            elapsed += time.perf_counter() - start
    mean = elapsed / options.iterations
    # Also the word that nobody ends while another still works.
    with step("the last check", options.timeout, 4):
        wrong = torch.count_nonzero(data != expected).reshape(1)
        dist.all_reduce(wrong)
        if int(wrong) > 0:
            end(7, f"{int(wrong)} elements are wrong after {options.iterations} repetitions, over all ranks")
    if rank == 0:
        algbw = count * 4 / mean / 1e9
        busbw = algbw * 2 * (world_size - 1) / world_size
        print(f"all_reduce of {count * 4} bytes on {world_size} ranks: {mean * 1e3:.2f} ms, algbw {algbw:.2f} GB/s, "
              f"busbw {busbw:.2f} GB/s, every element right", flush=True)
    with step("leaving the group", options.timeout, 4):
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
