// SPDX-License-Identifier: MIT

import OppiModel

/// Why a device cannot be listed or revoked.
enum DeviceError: Error, Sendable, Equatable {
  /// The server issues tokens that it does not list.
  case noDevices(server: String)
  case unknown(name: String, server: String)
  case ambiguous(name: String, candidates: [PairedDevice])
}
