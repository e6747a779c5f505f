// SPDX-License-Identifier: MIT

/// A generator that always returns the same number, for exact masking keys.
struct ConstantGenerator: RandomNumberGenerator {
  let value: UInt64

  func next() -> UInt64 { value }
}
