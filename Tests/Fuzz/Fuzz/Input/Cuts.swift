// SPDX-License-Identifier: MIT

import TestSupport

/// Ways to deliver the bytes of a stream: whole, byte by byte, and in pieces.
///
/// The sizes of the pieces follow from the bytes, so a corpus needs no format of its own.
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

/// Traps if the result depends on how the bytes are cut.
func expectSame<Result: Equatable>(
  howeverCut bytes: [UInt8],
  _ read: ([ArraySlice<UInt8>]) -> Result
) {
  let results = cuts(of: bytes).map(read)
  for result in results.dropFirst() {
    precondition(result == results[0], "cut: \(result), whole: \(results[0])")
  }
}
