// SPDX-License-Identifier: MIT

import Simulation

/// Plays the fault matrix and prints its table; where a text is given, the cells that have it in
/// their names, and where that is one, its story.
func playMatrix(_ text: String?) async {
  let clock = ContinuousClock()
  let begin = clock.now
  let parts = await Matrix.play { text.map($0.name.contains) ?? true }
  for part in parts where !part.entries.isEmpty { print(part.text) }
  let entries = parts.flatMap(\.entries)
  if entries.count == 1 { for line in entries[0].result.story { print(line) } }
  for entry in entries {
    for violation in entry.result.violations { print("broken: \(entry.cell.name): \(violation)") }
  }
  let broken = entries.count { !$0.result.violations.isEmpty }
  print("\(entries.count) cells, \(broken) broken, in \(begin.duration(to: clock.now))")
}
