// SPDX-License-Identifier: MIT

/// A generator that always gives the same number, to make masking keys exact.
struct ConstantGenerator: RandomNumberGenerator {
  let value: UInt64

  func next() -> UInt64 { value }
}
