// SPDX-License-Identifier: MIT

extension FixedWidthInteger {
  init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { number, byte in number << 8 | Self(truncatingIfNeeded: byte) }
  }

  var bigEndianBytes: [UInt8] {
    stride(from: bitWidth - 8, through: 0, by: -8).map { shift in
      UInt8(truncatingIfNeeded: self >> shift)
    }
  }
}
