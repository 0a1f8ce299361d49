# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Trains the small network with circular padding and writes weights.npz. Needs torch.

    pad 1 (wrap) -> conv 1->8 3x3 -> relu -> max pool 2 -> pad 1 (wrap) -> conv 8->16 3x3 -> relu
    -> flatten (256) -> linear 10 -> softmax

One image in five is a test image (1,437 train, 360 test, a fixed shuffle). All seeds are fixed;
another torch version may still round differently, so the weights are stored in a file.
"""

from pathlib import Path

import dataset
import numpy as np
import numpy.typing as npt
import torch
from torch import nn

WEIGHTS = Path(__file__).with_name("weights.npz")
SEED = 2024
EPOCHS = 40
BATCH = 64


def make_network() -> nn.Sequential:
    """The network up to the logits; the loss includes softmax."""
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1, padding_mode="circular"),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1, padding_mode="circular"),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(256, 10),
    )


def split(count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns the positions of the training and of the test images."""
    order = np.random.default_rng(SEED).permutation(count)
    kept_out = count // 5 + 1
    return order[kept_out:], order[:kept_out]


def accuracy(network: nn.Sequential, images: torch.Tensor, labels: torch.Tensor) -> float:
    """The fraction of images that the network classifies correctly."""
    with torch.no_grad():
        return float((network(images).argmax(1) == labels).float().mean())


def train(network: nn.Sequential, images: torch.Tensor, labels: torch.Tensor) -> None:
    """Trains in place."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-2, weight_decay=1e-1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(images)).split(BATCH):
            loss = nn.functional.cross_entropy(network(images[batch]), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()


def main() -> None:
    """Trains, prints the accuracies, writes the weights."""
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    images, labels = (torch.from_numpy(array) for array in dataset.load())
    training, test = (torch.from_numpy(part) for part in split(len(images)))
    network = make_network()
    train(network, images[training], labels[training])
    print(f"training images: {accuracy(network, images[training], labels[training]):.2%}")
    print(f"test images:     {accuracy(network, images[test], labels[test]):.2%}")
    print(f"all images:      {accuracy(network, images, labels):.2%}")

    convolution1, convolution2, linear = network[0], network[3], network[6]
    tensors = {
        "conv1_kernel": convolution1.weight,  # [8, 1, 3, 3]
        "conv1_bias": convolution1.bias,  # [8]
        "conv2_kernel": convolution2.weight,  # [16, 8, 3, 3]
        "conv2_bias": convolution2.bias,  # [16]
        "linear_kernel": linear.weight.T.contiguous(),  # [256, 10]
        "linear_bias": linear.bias,  # [10]
    }
    np.savez(WEIGHTS, **{name: tensor.detach().numpy() for name, tensor in tensors.items()})


if __name__ == "__main__":
    main()
