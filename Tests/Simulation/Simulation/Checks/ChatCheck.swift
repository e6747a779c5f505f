// SPDX-License-Identifier: MIT

import FakeServer

/// Compares what a user typed into a chat with what the server received and the screen shows.
struct ChatCheck {
  private static let statuses: Set<Int32> = [0, 6, 66, 69, 75, 76]

  let world: World
  let server: VirtualServer
  let terminal: VirtualTerminal

  func check(_ person: ChatPerson) {
    for number in person.said {
      let runs = server.runs.count { $0.text.contains(number) }
      world.mark("ran \(runs) times")
      world.check(runs <= 1, "\(number) ran \(runs) times")
      guard runs == 0, !isTold(number) else { continue }
      world.mark("disappeared")
      world.check(person.isQuestioned, "\(number) disappeared without a report")
    }
    // The server is killed at most once, which ends at most one turn.
    let screen = terminal.lines.joined(separator: " ")
    let unknown = screen.ranges(of: "outcome of the turn unknown").count
    world.mark("the ends of \(unknown) turns are not known")
    world.check(unknown <= 1, "the ends of \(unknown) turns are unknown, with one killed at most")
    let allowed = server.decisions.count { $0.action == "allow" }
    world.check(
      allowed <= person.allowed,
      "\(allowed) calls were allowed, \(person.allowed) on purpose"
    )
  }

  /// Whether the screen accounts for a message that did not run.
  ///
  /// The message may be shown as not sent, lost or unknown, or be in the draft; during a turn it
  /// may still be queued.
  private func isTold(_ number: String) -> Bool {
    let lines = terminal.lines
    // An approval panel hides the queued messages, and a long queue the last ones.
    if lines.last?.hasPrefix("Esc: back") == true { return true }
    if lines.contains(where: { $0.hasPrefix("and ") && $0.hasSuffix(" more") }) { return true }
    let hint = lines.last { $0.contains("Enter: ") || $0.contains("Esc again: ") }
    let isWorking = hint.map { !$0.contains("Enter: send") } ?? false
    let draft = lines.lastIndex { $0.hasPrefix("›") } ?? lines.endIndex
    let mentions = lines.indices.filter { lines[$0].contains(number) }
    // A number may wrap at the edge of the screen, and the next line has a margin.
    guard !mentions.isEmpty else {
      return lines.map { $0.drop { " ▌".contains($0) } }.joined().contains(number)
    }
    return mentions.contains { line in
      isWorking || line >= draft || !["› ", "▌ "].contains { lines[line].hasPrefix($0) }
    }
  }

  func check(_ outcome: Program.Outcome, isTroubled: Bool) {
    let status = outcome.status ?? -1
    world.mark("status \(status)")
    world.check(Self.statuses.contains(status), "the chat ended with \(status)")
    world.check(status == 0 || isTroubled, "status \(status) without a fault")
    world.check(terminal.isRestored, "the terminal is not restored: \(terminal.lines)")
  }
}
