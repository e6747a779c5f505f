// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiWire

/// Walks every order of events between a delivery and its server, with up to two faults.
@Suite struct DeliveryWalkTests {
  private struct Violation: Error, CustomStringConvertible {
    var rule: String
    var path: [DeliveryWorld.Choice]
    var verdict: PromptDelivery.Verdict?

    var description: String { "\(rule): \(path), verdict \(String(describing: verdict))" }
  }

  /// Visits all worlds within the depth, depth first.
  private static func walk(
    _ start: DeliveryWorld,
    depth: Int,
    visit: (DeliveryWorld, [DeliveryWorld.Choice]) throws(Violation) -> Void
  ) throws {
    var seen: [DeliveryWorld: Int] = [:]
    var stack: [(world: DeliveryWorld, path: [DeliveryWorld.Choice])] = [(start, [])]
    while let (world, path) = stack.popLast() {
      // A world that was reached by a shorter path has been searched already.
      if let known = seen[world], known <= path.count { continue }
      seen[world] = path.count
      try visit(world, path)
      guard path.count < depth else { continue }
      for choice in world.choices {
        var next = world
        next.take(choice)
        stack.append((next, path + [choice]))
      }
    }
  }

  private static func world(
    _ dialect: Dialect.Stream,
    isNew: Bool,
    isBusy: Bool,
    waits: Bool,
    faults: Int
  ) -> DeliveryWorld {
    var server = ModelServer(dialect: dialect, status: isNew ? .starting : .stopped)
    if !isNew {
      server.load()
      server.sequence = 2
      server.events = [.agentStart(1), .user(isOurs: false, 2)]
      server.status = isBusy ? .busy : .ready
    }
    let order = PromptDelivery.Order(
      sessionID: "S",
      isNewSession: isNew,
      prompt: Prompt("ours", clientTurnID: "T"),
      waitsForTurn: waits
    )
    return DeliveryWorld(delivery: PromptDelivery(order), server: server, faults: faults)
  }

  private static func check(
    _ world: DeliveryWorld,
    _ path: [DeliveryWorld.Choice]
  ) throws(Violation) {
    func require(_ condition: Bool, _ rule: String) throws(Violation) {
      if !condition { throw Violation(rule: rule, path: path, verdict: world.delivery.verdict) }
    }
    try require(world.server.runs <= 1, "a prompt runs once at most")
    try require(!world.hasLostMessages, "nothing is sent to a server that does not listen")
    guard let verdict = world.delivery.verdict else {
      return try require(
        world.isMoving || world.delivery.wakeAt != nil,
        "there is a way out of every state"
      )
    }
    let mayStillRun =
      world.server.runs > 0 || !world.server.queue.isEmpty
      || [.ours("T"), .ours("T-again")].contains(world.server.pending)
    switch verdict {
    case .delivered(.started):
      try require(world.server.runs == 1, "what is said to have started has")
    case .delivered:
      try require(world.server.hasTaken, "what is said to be accepted is the server's word")
    case .refused, .notSent:
      try require(!mayStillRun, "what is said not to run does not")
    case .unknown: break
    }
  }

  /// What a walk reached.
  private struct Reached {
    var verdicts: Set<PromptDelivery.Verdict> = []
    var repeats = 0
  }

  private static func walk(_ dialect: Dialect.Stream, depth: Int) throws -> Reached {
    var reached = Reached()
    for isNew in [true, false] {
      for isBusy in isNew ? [false] : [false, true] {
        for waits in [false, true] {
          let start = world(dialect, isNew: isNew, isBusy: isBusy, waits: waits, faults: 2)
          try walk(start, depth: depth) { (world, path) throws(Violation) in
            try check(world, path)
            if let verdict = world.delivery.verdict { reached.verdicts.insert(verdict) }
            if world.delivery.wasRepeated, world.server.runs == 1 { reached.repeats += 1 }
          }
        }
      }
    }
    return reached
  }

  @Test("the same holds for streams of sessions, whose server recognizes a repeat")
  func everyOrderOnSessionStreams() throws {
    let reached = try Self.walk(.session, depth: 18)
    #expect(reached.repeats > 100)
    #expect(
      reached.verdicts.isSuperset(of: [
        .delivered(.accepted), .delivered(.started), .delivered(.queued), .notSent,
        .refused(.rejected("No API key found.", code: nil)), .unknown(.lost), .unknown(.agentGone),
      ])
    )
  }

  @Test(
    "a prompt never runs twice and no verdict is false, in any order of events",
    arguments: [Dialect.Stream.multiplexed, .perSession]
  )
  func everyOrder(dialect: Dialect.Stream) throws {
    let reached = try Self.walk(dialect, depth: 18)
    // The walk is meaningful only if it reached the rare states.
    #expect(reached.repeats > 100)
    #expect(
      reached.verdicts.isSuperset(of: [
        .delivered(.accepted), .delivered(.started), .delivered(.queued), .notSent,
        .refused(.agentRefused("No API key found.")), .unknown(.silence), .unknown(.lost),
        .unknown(.agentGone),
      ])
    )
  }
}
