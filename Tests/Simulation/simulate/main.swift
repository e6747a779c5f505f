// SPDX-License-Identifier: MIT

import Glibc
import Simulation

// The status is 1 if a world or a cell is broken.
//
// simulate COUNT [FIRST] [SCENARIO]: plays COUNT worlds.
// simulate --seed SEED [SCENARIO]: plays one world and prints its story.
// simulate matrix [TEXT]: plays the fault matrix, or the cells with TEXT in their names.
// simulate serve DIALECT [tls]: serves on this machine, for Tests/Benchmarks.
let clock = ContinuousClock()
var words = CommandLine.arguments.dropFirst()
var isBroken = false
if words.first == "matrix" {
  isBroken = await playMatrix(words.dropFirst().first)
} else if words.first == "serve", let dialect = words.dropFirst().first {
  try await serve(dialect, overTLS: words.contains("tls"))
} else if words.first == "--seed", let seed = words.dropFirst().first.flatMap({ UInt64($0) }) {
  let result = Simulator.play(seed, only: words.dropFirst(2).first) { print($0) }
  print(
    "world \(seed) (\(result.scenario)), \(result.virtualTime) of virtual time, trace \(result.trace)"
  )
  for violation in result.violations { print("broken: \(violation)") }
  isBroken = !result.violations.isEmpty
} else {
  let count = words.first.flatMap { UInt64($0) } ?? 1000
  let first = words.dropFirst().first.flatMap { UInt64($0) } ?? 1
  let only = words.dropFirst(2).first
  var marks: [String: Int] = [:]
  var tallies: [String: Tally] = [:]
  var broken = 0
  var virtual = Duration.zero
  let begin = clock.now
  for seed in first..<first + count {
    let result = Simulator.play(seed, only: only)
    virtual += result.virtualTime
    for mark in result.marks { marks["\(result.scenario): \(mark)", default: 0] += 1 }
    for (dialect, tally) in result.tallies { tallies[dialect, default: Tally()].add(tally) }
    guard !result.violations.isEmpty else { continue }
    broken += 1
    print("world \(seed) (\(result.scenario)): \(result.violations[0])")
  }
  let elapsed = clock.now - begin
  for (mark, number) in marks.sorted(by: { $0.key < $1.key }) { print("  \(mark): \(number)") }
  for (dialect, tally) in tallies.sorted(by: { $0.key < $1.key }) { print("\(dialect): \(tally)") }
  let rate = Int(Double(count) / (elapsed / .seconds(1)))
  print(
    "\(count) worlds, \(broken) broken, \(virtual) of virtual time in \(elapsed): \(rate) worlds/s"
  )
  isBroken = broken > 0
}
exit(isBroken ? 1 : 0)
