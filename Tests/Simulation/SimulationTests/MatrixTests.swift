// SPDX-License-Identifier: MIT

import Simulation
import TestSupport
import Testing

@Suite("Fault matrix")
struct MatrixTests {
  /// `swift test` plays one blow in this many, because all cells take minutes without optimisation.
  ///
  /// These blows are spread over all moments and faults; `Tests/Simulation/run matrix` plays all.
  private static let portion = 16

  /// Cells that have failed before; they are always played.
  private static let always: Set = [
    "ask --wait / message prompt / ignore",
    "ask, in two workspaces / upgrade /stream / interrupt",
    "follow / message subscribe / ignore",
    "stop / message stop / refused",
    "workspaces / GET /workspaces / interrupt",
  ]

  @Test("every command ends as documented under every fault at every moment")
  func matrix() async throws {
    let isRecording = Snapshot.isRecording
    let parts = await Matrix.play { blow in
      isRecording || blow.number % Self.portion == 0
        || blow.cells.contains { Self.always.contains($0.name) }
    }
    for entry in parts.flatMap({ [$0.plain] + $0.entries }) {
      #expect(
        entry.result.violations == [],
        "see it with: Tests/Simulation/run matrix '\(entry.cell.name)'"
      )
    }
    if isRecording { try Snapshot.check(Matrix.table(of: parts), Self.name) }
    let table = try Snapshot.recorded(Self.name)
    let verdicts = Matrix.verdicts(in: table)
    for entry in parts.flatMap(\.entries) {
      #expect(entry.result.verdict == verdicts[entry.cell.name], "\(entry.cell.name)")
    }
    let names = parts.flatMap(\.names)
    #expect(table.hasPrefix("\(names.count) cells"))
    #expect(names.filter { verdicts[$0] == nil } == [])
  }

  private static let name = "matrix.txt"
}
