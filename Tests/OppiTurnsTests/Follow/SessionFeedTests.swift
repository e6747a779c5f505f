// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

@Suite struct SessionFeedTests {
  /// What a feed reported until the end of the turn.
  struct Record: Sendable {
    var sequences: [Int] = []
    var losses = 0
    var renewals = 0
    var standings: [FeedState.CatchUp] = []
  }

  /// Sends a prompt and follows the feed to the end of the run, or with `whenBusy`, which newer
  /// servers need, until the agent has settled; calls `meddle` with every message.
  static func follow(
    _ flow: FlowWorld,
    prompt: String,
    whenBusy: ClientMessage.WhenBusy? = nil,
    meddle: (ServerMessage) async -> Void = { _ in }
  ) async throws -> Record {
    var record = Record()
    let session = try await flow.newSession()
    var feed = SessionFeed(api: try await flow.api, session: session, timeout: .timeout)
    while let news = try await feed.next(until: flow.farOff) {
      switch news {
      case .changes(_, of: let message?):
        if let sequence = message.sequence { record.sequences.append(sequence) }
        await meddle(message)
        let end = whenBusy == nil ? ServerMessage.Kind.agentEnd : .agentSettled
        if message.kind == end {
          await feed.close()
          return record
        }
      case .lost: record.losses += 1
      case .changes, .past: break
      case .renewing: record.renewals += 1
      case .caughtUp(let catchUp):
        record.standings.append(catchUp)
        if catchUp.isFirst {
          let turn = Prompt(prompt, clientTurnID: "turn")
          let message = ClientMessage.prompt(turn, whenBusy: whenBusy)
          try await feed.send(message, id: "prompt", until: flow.farOff)
        }
        // The end of the turn may be among the missed events that only the trace has.
        guard catchUp.isComplete || catchUp.status == .busy else {
          await feed.close()
          return record
        }
      case .givenUp(let error):
        Issue.record("given up: \(error)")
        return record
      }
    }
    Issue.record("the turn did not end")
    return record
  }

  /// Follows a turn whose connection is cut at its first tool call.
  private static func followCut(_ flow: FlowWorld) async throws -> Record {
    var hasCut = false
    return try await follow(flow, prompt: "hello") { message in
      if case .toolStart = message.kind, !hasCut {
        hasCut = true
        flow.world.network.cutConnections(to: flow.server.address)
      }
    }
  }

  @Test(
    "no event is missing or repeated after a cut",
    arguments: Dialect.withTokens
  )
  func acrossCut(dialect: Dialect) {
    inFlowWorld(dialect, where: \.pace, is: .milliseconds(100)) { flow in
      let record = try await Self.followCut(flow)
      #expect(record.losses == 1)
      #expect(record.sequences == Array(1...(record.sequences.last ?? 0)))
    }
  }

  @Test("an event that the server sends twice is delivered once")
  func toldAgain() {
    inFlowWorld { configuration in
      configuration.interceptor = { step in
        guard case .message(let json, _) = step, json["type"] == "prompt" else { return .proceed }
        let event: JSONValue = ["type": "agent_start", "seq": 1, "sessionId": json["sessionId"]]
        let text = Array(event.text().utf8)
        let frame = [0x81, UInt8(text.count)] + text
        return .send(frame + frame, then: .proceed)
      }
    } _: { flow in
      let record = try await Self.follow(flow, prompt: "hello")
      #expect(record.sequences == Array(1...(record.sequences.last ?? 0)))
    }
  }

  @Test("a feed reports missing events if the server's event ring is too short")
  func beyondTheRing() {
    inFlowWorld { configuration in
      configuration.pace = .milliseconds(100)
      configuration.limits.eventRing = 1
    } _: { flow in
      let record = try await Self.followCut(flow)
      #expect(record.losses == 1)
      #expect(record.standings.map(\.isComplete) == [true, false])
      #expect(Set(record.sequences).count == record.sequences.count)
    }
  }

  @Test("an unknown session fails at once, without a retry")
  func unknownSession() {
    inFlowWorld { flow in
      var session = try await flow.newSession()
      session.id = "unknown0"
      var feed = SessionFeed(api: try await flow.api, session: session, timeout: nil)
      let error = await #expect(throws: OppiError.self) {
        while try await feed.next(until: flow.farOff) != nil {}
      }
      #expect(error?.message == "no session 'unknown0'", "\(String(describing: error))")
    }
  }

  @Test(
    "a first stream that is lost before its first state is continued by the next one",
    arguments: Dialect.withTokens
  )
  func lostBeforeState(dialect: Dialect) {
    inFlowWorld(dialect) { flow in
      let session = try await flow.newSession()
      flow.world.network.cut(after: "\"connected\"")
      var feed = SessionFeed(api: try await flow.api, session: session, timeout: nil)
      var losses = 0
      while let news = try await feed.next(until: flow.farOff) {
        if case .lost = news { losses += 1 }
        guard case .caughtUp(let catchUp) = news else { continue }
        #expect(losses == 1 && !catchUp.isFirst)
        break
      }
      await feed.close()
    }
  }

  @Test("a first stream that says nothing is lost after its time, and another one is the first")
  func silentFromTheBeginning() {
    let trouble = Trouble()
    inFlowWorld(where: \.interceptor, is: trouble.interceptor) { flow in
      let session = try await flow.newSession()
      trouble.begin { step in
        guard case .opened = step else { return .proceed }
        trouble.end()
        return .hang
      }
      let end = flow.world.loop.now + IntentWebSocket.silenceLimit + .seconds(5)
      var feed = SessionFeed(api: try await flow.api, session: session, timeout: nil)
      var isLost = false
      news: while let news = try await feed.next(until: end) {
        switch news {
        case .lost: isLost = true
        case .caughtUp(let catchUp):
          #expect(isLost && catchUp.isFirst)
          break news
        default: break
        }
      }
      #expect(flow.world.loop.now < end && flow.server.streams == 2)
      await feed.close()
    }
  }

  @Test("a quiet stream is kept and a dead one is lost, both long before the deadline")
  func deadStream() {
    inFlowWorld { flow in
      let loop = flow.world.loop
      let session = try await flow.newSession()
      var feed = SessionFeed(api: try await flow.api, session: session, timeout: nil)
      let quietEnd = loop.now + IntentWebSocket.silenceLimit * 5
      while let news = try await feed.next(until: quietEnd) {
        if case .lost = news { Issue.record("lost while the server sends pings") }
      }
      #expect(loop.now >= quietEnd && flow.server.streams == 1)
      let begin = loop.now
      // The feed hears pings while it waits, and no more after this time.
      let drop = Task(executorPreference: loop) {
        try await loop.sleep(until: begin + .seconds(40))
        flow.world.network.dropConnections(at: flow.server.address)
      }
      while let news = try await feed.next(until: quietEnd + .seconds(3600)) {
        if case .lost = news { break }
      }
      try await drop.value
      #expect(loop.now <= begin + .seconds(40) + IntentWebSocket.silenceLimit)
      await feed.close()
    }
  }

  @Test(
    "a feed stops retrying when its timeout ends, after at most a few retries",
    arguments: Dialect.withTokens,
    [Duration.zero, .milliseconds(5), .milliseconds(300)]
  )
  func givesUp(dialect: Dialect, timeout: Duration) {
    inFlowWorld(dialect) { flow in
      let session = try await flow.newSession()
      var feed = SessionFeed(api: try await flow.api, session: session, timeout: timeout)
      while case .changes? = try await feed.next(until: flow.farOff) {}
      await flow.server.end(.killed)
      var losses = 0
      news: while let news = try await feed.next(until: flow.farOff) {
        switch news {
        case .lost: losses += 1
        case .givenUp: break news
        case .changes, .past, .renewing, .caughtUp: Issue.record("\(news)")
        }
      }
      #expect(losses <= (timeout < .milliseconds(100) ? 1 : 3))
      // Further calls do not retry.
      if case .givenUp? = try await feed.next(until: flow.farOff) {
      } else {
        Issue.record("retried")
      }
    }
  }
}
