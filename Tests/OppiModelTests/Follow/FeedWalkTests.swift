// SPDX-License-Identifier: MIT

import OppiModel
import OppiWire
import Testing

/// Walks every order of events, connections and faults of a feed.
@Suite struct FeedWalkTests {
  private struct Violation: Error, CustomStringConvertible {
    var rule: String
    var path: [FeedWorld.Choice]
    var world: FeedWorld

    var description: String {
      "\(rule): \(path), heard \(world.heard), standings \(world.standings)"
    }
  }

  private static func check(
    _ world: FeedWorld,
    _ path: [FeedWorld.Choice]
  ) throws(Violation) {
    func require(_ condition: Bool, _ rule: String) throws(Violation) {
      if !condition { throw Violation(rule: rule, path: path, world: world) }
    }
    try require(Set(world.heard).count == world.heard.count, "no event is told twice")
    let told = Dictionary(grouping: world.heard, by: \.agent).values
    try require(
      told.allSatisfy { $0.map(\.sequence) == $0.map(\.sequence).sorted() },
      "the events of an agent are told in order"
    )
    try require(
      world.isGivenUp || !world.choices.isEmpty || world.feed.phase == .live,
      "there is a way out of every state"
    )
    let isQuiet = world.toClient.isEmpty && world.wish == nil && world.beforeSetUp == nil
    guard world.feed.phase == .live, isQuiet, let catchUp = world.standings.last else { return }
    // After the first connection, each event is delivered unless a gap was reported.
    let isComplete = world.standings.dropFirst().allSatisfy(\.isComplete)
    if isComplete, catchUp.isComplete {
      let present = world.heard.filter { $0.agent == world.agent }.map(\.sequence)
      let first = present.first ?? world.sequence + 1
      try require(present == Array(first..<max(first, world.sequence + 1)), "none is left out")
    }
    try require(
      world.standings.dropFirst().allSatisfy { !$0.isFirst },
      "no later connection is the first one"
    )
    try require(
      world.standings.first?.isFirst == !world.hasLostFirst,
      "what a stream passed on before it was lost is continued"
    )
  }

  @Test(
    "in any order, no event is repeated, no gap is unreported, and no state is a dead end",
    arguments: [Dialect.Stream.multiplexed, .perSession, .session]
  )
  func everyOrder(dialect: Dialect.Stream) throws {
    var seen: [FeedWorld: Int] = [:]
    var stack: [(world: FeedWorld, path: [FeedWorld.Choice])] = [
      (FeedWorld(dialect, faults: 2), [])
    ]
    var reconnections = 0
    var gaps = 0
    while let (world, path) = stack.popLast() {
      if let known = seen[world], known <= path.count { continue }
      seen[world] = path.count
      try Self.check(world, path)
      if world.standings.count > 1 { reconnections += 1 }
      if world.standings.last?.isComplete == false { gaps += 1 }
      guard path.count < 22 else { continue }
      for choice in world.choices {
        var next = world
        next.take(choice)
        stack.append((next, path + [choice]))
      }
    }
    // The walk is meaningful only if it reached the rare states.
    #expect(reconnections > 1000 && gaps > 100, "\(reconnections), \(gaps), \(seen.count) worlds")
  }
}
