// SPDX-License-Identifier: MIT

import Foundation
import Fuzz
import TestSupport
import Testing

/// Runs the committed corpus and pseudo-random variations of it.
@Suite("Fuzz targets")
struct FuzzTests {
  private static let folder = URL.package.appending(path: "Tests/Fuzz/Corpus")
  private static let variations = 500

  @Test("each target accepts its corpus and 500 variations", arguments: FuzzTarget.all)
  func corpus(target: FuzzTarget) throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.folder.appending(path: target.name),
      includingPropertiesForKeys: nil
    )
    let inputs = try files.sorted { $0.path < $1.path }.map { [UInt8](try Data(contentsOf: $0)) }
    try #require(!inputs.isEmpty)
    for input in inputs + [[]] { target.run(input) }
    var chance = SeededGenerator(seed: 1)
    for number in 0..<Self.variations {
      let (input, other) = (inputs[number % inputs.count], inputs[number / 3 % inputs.count])
      target.run(variation(of: input, with: other, using: &chance))
    }
  }

  @Test("each target has a corpus folder, and each folder a target")
  func folders() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
  }

  /// Changes one to four places: flips a bit, or removes, repeats, inserts or replaces bytes.
  private func variation(
    of input: [UInt8],
    with other: [UInt8],
    using chance: inout SeededGenerator
  ) -> [UInt8] {
    var input = input
    for _ in 0..<Int.random(in: 1...4, using: &chance) {
      let start = Int.random(in: 0...input.count, using: &chance)
      let range = start..<min(input.count, start + Int.random(in: 0...8, using: &chance))
      switch Int.random(in: 0..<5, using: &chance) {
      case 0: input.removeSubrange(range)
      case 1: input.insert(contentsOf: input[range], at: start)
      case 2: input.insert(contentsOf: chance.bytes(range.count), at: start)
      case 3: input.replaceSubrange(start..., with: other.suffix(max(0, other.count - start)))
      default:
        guard start < input.count else { continue }
        input[start] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
      }
    }
    return input
  }
}
