// SPDX-License-Identifier: MIT

import Simulation

/// Plays the fault matrix and prints its table.
///
/// With a text, plays only the cells that contain it in their names, and prints the story of a
/// single cell. Returns whether an invocation is broken, with a fault or without.
func playMatrix(_ text: String?) async -> Bool {
  let clock = ContinuousClock()
  let begin = clock.now
  let parts = await Matrix.play { blow in
    text.map { text in blow.cells.contains { $0.name.contains(text) } } ?? true
  }
  .filter { !$0.entries.isEmpty }
  print(Matrix.table(of: parts))
  let entries = parts.flatMap(\.entries).filter { text.map($0.cell.name.contains) ?? true }
  if entries.count == 1 { for line in entries[0].result.story { print(line) } }
  let broken = (entries + parts.map(\.plain)).filter { !$0.result.violations.isEmpty }
  for entry in broken {
    for violation in entry.result.violations { print("broken: \(entry.cell.name): \(violation)") }
  }
  print("\(entries.count) cells, \(broken.count) broken, in \(begin.duration(to: clock.now))")
  return !broken.isEmpty
}
