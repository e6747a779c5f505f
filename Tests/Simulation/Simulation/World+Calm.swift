// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import OppiText

// The time after the last fault of a world, in which everything must come to its end.
extension World {
  /// What delivers the queued prompts of the world's user: a timer, as `oppi setup` installs it, or
  /// a watch that is running.
  enum Deliverer {
    case timer, watch
  }

  /// The time between two runs of the timer; setup's timer runs every minute, which would only cost
  /// time here.
  private static let timerPause = Duration.seconds(600)
  /// How long servers take to process what they have received, and programs to notice a dead stream
  /// (75 s) and to connect again (37.5 s, and 10 s for the attempt).
  private static let rest = Duration.seconds(300)
  /// The longest pause between two attempts for a prompt: an hour, and up to a quarter more.
  private static let retryPause = Duration.seconds(3600) * 1.25
  /// How far ahead a retry can be after the clock was set back: one that is further ahead is due.
  private static let longestWait = Duration.seconds(7200)

  /// Ends all faults, starts the servers that are down, and lets the world go on until everything
  /// that was begun has ended, which is checked: every prompt of the outbox is settled in time, and
  /// the programs that are to stay have come back; those that have ended hold no lock.
  ///
  /// Every world ends with it; a scenario calls it before that, to check what is left.
  ///
  /// - Returns: The entries of the outbox.
  @discardableResult
  func calmDown(delivering deliverer: Deliverer = .timer) async throws -> [JSONValue] {
    await endFaults()
    for server in servers { restore(server) }
    try await loop.sleep(for: Self.rest)
    for misreading in disk.misreadings { mark(misreading) }
    let left = try await settleOutbox(by: deliverer)
    for check in takeStayers() { await check() }
    let locked = running.isEmpty ? disk.lockedPaths : []
    check(locked.isEmpty, "nothing runs, but \(locked) is locked")
    return left
  }

  /// Waits until no prompt of the outbox is pending; it is a violation if that takes too long.
  ///
  /// Only prompts that are due are tried, so that a prompt whose retry never becomes due is found.
  private func settleOutbox(by deliverer: Deliverer) async throws -> [JSONValue] {
    guard hasOutbox else { return [] }
    var left = await outbox()
    var open = left.filter(isOpen)
    let begin = loop.now
    // Each prompt may wait for the one before it, or until that one has made room.
    let limit =
      (Self.retryPause + Self.timerPause) * open.count + min(kernel.setBack, Self.longestWait)
    while !open.isEmpty {
      let time = begin.duration(to: loop.now)
      guard time <= limit else {
        let states = open.map { "\($0["key"].text()): \($0["state"].text())" }
        check(false, "pending \(time) after the last fault: \(states.joined(separator: ", "))")
        return left
      }
      mark("outbox waited for")
      if deliverer == .timer { await runTimer() }
      try await loop.sleep(for: Self.timerPause)
      left = await outbox()
      open = left.filter(isOpen)
    }
    return left
  }

  private var hasOutbox: Bool {
    let folder = XDGPaths(environment: [:], home: Self.home).outboxFolder
    return disk.paths.contains { $0.hasPrefix("\(folder)/") && $0.hasSuffix(".json") }
  }

  /// Delivers what is due; before that, the user makes room for new sessions.
  private func runTimer() async {
    _ = await program().run(["stop", "--idle", "--yes"])
    FlushCheck(world: self)
      .check(await program().run(["outbox", "flush", "--due", "--json"]))
  }

  /// Whether the prompt still has to be delivered; one for a server without access waits until the
  /// user pairs again, and says so.
  private func isOpen(_ entry: JSONValue) -> Bool {
    guard ["outbox", "checking"].contains(entry["state"].string) else { return false }
    let server = servers.first { $0.name == entry["server"]["name"].string }
    guard server?.isRevoked == true else { return true }
    check(entry["reason"] != .null, "\(entry["key"].text()) waits without a reason")
    return false
  }
}
