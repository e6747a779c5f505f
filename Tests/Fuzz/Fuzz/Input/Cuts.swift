// SPDX-License-Identifier: MIT

import TestSupport

/// Some ways in which a stream may hand over the bytes: whole, one by one, and in pieces whose
/// sizes follow from the bytes, so that a corpus needs no form of its own.
func cuts(of bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
  var chance = SeededGenerator(
    seed: bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
  )
  var pieces: [ArraySlice<UInt8>] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = Int.random(in: 1...16, using: &chance)
    pieces.append(rest.prefix(count))
    rest = rest.dropFirst(count)
  }
  return [[bytes[...]], bytes.indices.map { bytes[$0...$0] }, pieces]
}

/// Traps unless the reading comes to the same however the bytes are cut.
func expectSame<Result: Equatable>(
  howeverCut bytes: [UInt8],
  _ read: ([ArraySlice<UInt8>]) -> Result
) {
  let results = cuts(of: bytes).map(read)
  for result in results.dropFirst() {
    precondition(result == results[0], "cut: \(result), whole: \(results[0])")
  }
}
