// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import TestSupport
import Testing

@testable import Oppi

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
    _ desk: Bench.Desk,
    prompt: String,
    whenBusy: PromptDelivery.WhenBusy? = nil,
    meddle: (ServerMessage) async -> Void = { _ in }
  ) async throws -> Record {
    var record = Record()
    let session = try await desk.newSession()
    var feed = SessionFeed(api: desk.api, session: session, timeout: .timeout)
    while let news = try await feed.next(until: .farOff) {
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
          try await feed.send(message, id: "prompt", until: .farOff)
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
  private static func followCut(_ bench: Bench) async throws -> Record {
    try await bench.run { [relay = bench.relay] desk in
      var hasCut = false
      return try await Self.follow(desk, prompt: "hello") { message in
        if case .toolStart = message.kind, !hasCut {
          hasCut = true
          relay.cut()
        }
      }
    }
  }

  @Test("events arrive in the order of their sequence numbers")
  func inOrder() async throws {
    let record = try await Bench().run { desk in try await Self.follow(desk, prompt: "hello") }
    #expect(record.sequences == Array(1...(record.sequences.last ?? 0)))
    #expect(record.losses == 0)
  }

  @Test(
    "no event is missing or repeated after a cut",
    arguments: Bench.allDialects
  )
  func acrossCut(dialect: Dialect) async throws {
    let bench = try Bench(dialect) { $0.pace = .milliseconds(10) }
    let record = try await Self.followCut(bench)
    #expect(record.losses == 1)
    #expect(record.sequences == Array(1...(record.sequences.last ?? 0)))
  }

  @Test("an event that the server sends twice is delivered once")
  func toldAgain() async throws {
    let bench = try Bench { configuration in
      configuration.interceptor = { step in
        guard case .message(let json, _) = step, json["type"] == "prompt" else { return .proceed }
        let event: JSONValue = ["type": "agent_start", "seq": 1, "sessionId": json["sessionId"]]
        let text = Array(event.text().utf8)
        let frame = [0x81, UInt8(text.count)] + text
        return .send(frame + frame, then: .proceed)
      }
    }
    let record = try await bench.run { desk in try await Self.follow(desk, prompt: "hello") }
    #expect(record.sequences == Array(1...(record.sequences.last ?? 0)))
  }

  @Test("a feed reports missing events if the server's event ring is too short")
  func beyondTheRing() async throws {
    let bench = try Bench { configuration in
      configuration.pace = .milliseconds(10)
      configuration.limits.eventRing = 1
    }
    let record = try await Self.followCut(bench)
    #expect(record.losses == 1)
    #expect(record.standings.map(\.isComplete) == [true, false])
    #expect(Set(record.sequences).count == record.sequences.count)
  }

  @Test("an unknown session fails at once, without a retry")
  func unknownSession() async throws {
    let error = try await Bench().run { desk in
      var session = try await desk.newSession()
      session.id = "unknown0"
      var feed = SessionFeed(api: desk.api, session: session, timeout: nil)
      do {
        while try await feed.next(until: .farOff) != nil {}
        return "silence"
      } catch {
        return "\(error)"
      }
    }
    #expect(error.contains("Session not found"), "\(error)")
  }

  @Test(
    "a feed stops retrying when its timeout ends, after at most a few retries",
    arguments: Bench.allDialects,
    [Duration.zero, .milliseconds(5), .milliseconds(300)]
  )
  func givesUp(dialect: Dialect, timeout: Duration) async throws {
    let bench = try Bench(dialect)
    let news = try await bench.run { [server = bench.server] desk in
      let session = try await desk.newSession()
      var feed = SessionFeed(api: desk.direct, session: session, timeout: timeout)
      while case .changes? = try await feed.next(until: .farOff) {}
      _ = await server.crash()
      var news: [String] = []
      let deadline = EventLoop.Instant.farOff
      while let piece = try await feed.next(until: deadline), news.count < 20 {
        switch piece {
        case .changes, .past: news.append("message")
        case .caughtUp: news.append("catchUp")
        case .lost: news.append("lost")
        case .renewing: news.append("renewing")
        case .givenUp:
          // Further calls do not retry.
          guard case .givenUp? = try await feed.next(until: deadline) else { return ["more"] }
          return news
        }
      }
      return ["silence"]
    }
    #expect(news.allSatisfy { $0 == "lost" }, "\(news)")
    #expect(news.count <= (timeout < .milliseconds(100) ? 1 : 3), "\(news)")
  }
}
