// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import OppiText
import Synchronization

/// A watch, with a simulated user at its desktop.
final class WatchDesk: Sendable {
  struct Press: Sendable, Equatable {
    /// The id of the request that the button decides.
    var request: String
    var isApproval: Bool
  }

  /// The maximum time that the watch may take to end.
  private static let endBudget = Duration.seconds(15)
  /// The labels of the buttons; those of a dialog are its options.
  private static let approvals: Set = ["Approve", "Yes"]
  private static let refusals: Set = ["Deny", "No", "Cancel"]

  let world: World
  let desktop: VirtualDesktop
  private let program: Program
  private let task: Task<Program.Outcome, Never>
  private let pressed = Mutex<[Press]>([])

  /// Starts a watch; its desktop takes up to 24 s to connect.
  init(in world: World) {
    self.world = world
    let seconds = world.choose([0, 1, world.number(below: 25)])
    desktop = VirtualDesktop(on: world.loop, connectTime: .seconds(seconds))
    let program = world.program(notifying: desktop)
    self.program = program
    let words = ["watch", "--json"] + (world.happens(0.15) ? ["--poll", "10s"] : [])
    task = Task(executorPreference: world.loop) { await program.run(words) }
  }

  /// The buttons pressed, in order.
  var presses: [Press] { pressed.withLock { $0 } }

  var isRunning: Bool { world.isRunning(program.number) }

  /// The documents that the watch has printed.
  var documents: [JSONValue] {
    program.outputSoFar.split(separator: "\n")
      .compactMap { try? JSONValue(parsing: Array($0.utf8)) }
  }

  /// The visible notifications that ask for a decision.
  var offers: [DesktopNotification] {
    desktop.shown.filter { $0.actions.contains { Self.refusals.contains($0.label) } }
  }

  /// The visible notification of a session that asks for a decision.
  func offer(in session: String) -> DesktopNotification? {
    offers.first { $0.tag.hasSuffix("/\(session)") }
  }

  /// Presses random buttons at random moments.
  func pressNow(and again: Int) async {
    for _ in 0..<again {
      try? await world.loop.sleep(for: world.time(upTo: .seconds(60)))
      pressAny()
    }
  }

  /// Presses a random button of a random offer, if there is an offer.
  func pressAny() {
    guard !offers.isEmpty else { return }
    let offer = world.choose(offers)
    press(isApproval: world.happens(0.5), on: offer)
  }

  /// Presses the button that approves or denies, if the notification has it.
  func press(isApproval: Bool, on offer: DesktopNotification) {
    let labels = isApproval ? Self.approvals : Self.refusals
    guard let action = offer.actions.first(where: { labels.contains($0.label) }) else { return }
    let request = action.key.split(separator: ":", maxSplits: 3).last.map(String.init) ?? ""
    pressed.withLock { $0.append(Press(request: request, isApproval: isApproval)) }
    world.tell("the user presses \(action.label) for \(request)")
    _ = desktop.press(action.label, on: offer)
  }

  /// Waits for a condition; returns false at the limit.
  func wait(atMost limit: Duration, until isTrue: () -> Bool) async -> Bool {
    let deadline = world.loop.now + limit
    while !isTrue() {
      guard world.loop.now < deadline else { return false }
      try? await world.loop.sleep(for: .milliseconds(500))
    }
    return true
  }

  /// Ends the watch, and checks that no notification still asks for a decision.
  func end() async {
    let begin = world.loop.now
    program.interrupt()
    let outcome = await task.value
    world.check(outcome.status == 130, "the watch ended with \(outcome.status ?? -1)")
    let time = begin.duration(to: world.loop.now)
    world.check(time <= Self.endBudget, "the end of the watch took \(time)")
    world.check(offers.isEmpty, "\(offers.map(\.tag)) is visible after the watch")
    world.checkLeavings(of: program)
  }
}
