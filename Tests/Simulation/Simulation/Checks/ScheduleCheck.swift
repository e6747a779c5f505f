// SPDX-License-Identifier: MIT

import FakeServer
import OppiText

/// Compares the records of a schedule's slots with what its server received.
struct ScheduleCheck {
  private static let passedOver = ["skipped", "missed"]

  let world: World
  let server: VirtualServer
  let prompt: String

  /// - Parameter records: The final records, oldest first.
  func check(_ records: [JSONValue]) {
    let runs = server.runs.filter { $0.text == prompt }
    let begun = records.filter { !Self.passedOver.contains($0["state"].string ?? "") }
    world.mark("\(runs.count) runs")
    for record in records { world.mark(record["state"].string ?? "no state") }
    for (slot, entries) in Dictionary(grouping: begun, by: { $0["slot"].text() }) {
      world.check(entries.count == 1, "slot \(slot) started \(entries.count) times")
    }
    world.check(runs.count <= begun.count, "\(runs.count) runs of \(begun.count) slots")
    let perSession = Dictionary(grouping: runs, by: \.sessionID)
    for (session, runs) in perSession where runs.count > 1 {
      world.check(false, "\(runs.count) runs in \(session)")
    }
    let received = server.deliveries.filter { $0.prompt == prompt }
    for record in begun where record["status"] == 0 {
      guard let session = record["sessionId"].string else { continue }
      // A message names its session only if its stream carries several sessions.
      let isReceived = received.contains { [session, nil].contains($0.sessionID) }
      world.check(isReceived, "\(record["slot"].text()) is reported in \(session)")
    }
    for record in records where record["state"] == "failed" {
      let session = record["sessionId"].string
      let hasRun = session.map { id in runs.contains { $0.sessionID == id } } ?? false
      world.check(!hasRun, "\(record["slot"].text()) is reported as failed, but it ran")
    }
  }
}
