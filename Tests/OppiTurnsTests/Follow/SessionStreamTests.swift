// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiWire
import Simulation
import Synchronization
import Testing

@testable import OppiClient
@testable import OppiPrompts
@testable import OppiTestSupport
@testable import OppiTurns

/// Streams of servers with device keys, which end whenever a token does.
@Suite("Streams of sessions")
struct SessionStreamTests {
  /// The limits of a delivery that waits for its turn, however long its agent starts.
  static let patient: PromptDelivery.Limits = {
    var limits = PromptDelivery.Limits()
    limits.total = nil
    return limits
  }()

  @Test("the agent of an ended session is started again only for its user")
  func rest() {
    inFlowWorld { flow in
      let session = try await flow.newSession()
      let wakeSignal = WakeSignal()
      var feed = SessionFeed(
        api: try await flow.api,
        session: session,
        timeout: nil,
        wokenBy: wakeSignal
      )
      while case .changes? = try await feed.next(until: flow.farOff) {}
      try await flow.stop(session)
      while case .changes(_, of: let message?)? = try await feed.next(until: flow.farOff) {
        if case .sessionEnded = message.kind { break }
      }
      flow.server.expireTokens()
      while let news = try await feed.next(until: flow.farOff) {
        if case .renewing = news { break }
      }
      #expect(try await feed.next(until: flow.farOff) == nil)
      #expect(flow.server.streams == 1)
      wakeSignal.send()
      while let news = try await feed.next(until: flow.farOff) {
        guard case .caughtUp(let catchUp) = news else { continue }
        #expect(catchUp.isRenewal && catchUp.isNewAgent)
        break
      }
      await feed.close()
      let streams = flow.server.requests.filter { $0.path.hasSuffix("/stream") }
      #expect(streams.count { $0.status == 101 } == 2, "\(streams)")
    }
  }

  @Test("an agent that starts while the token ends is awaited over another stream")
  func expiryAtStart() {
    inFlowWorld(where: \.agentStartDelay, is: .seconds(20)) { flow in
      let session = try await flow.newSession()
      async let asking = flow.ask("hello", in: session, limits: Self.patient, waitingForTurn: true)
      try await flow.pass()
      #expect(flow.server.streams == 1)
      flow.server.expireTokens()
      let delivery = try await asking
      #expect(delivery.outcome.state == .started)
      await delivery.stream?.socket?.close()
      #expect(flow.server.heard == ["hello"])
    }
  }

  @Test(
    "a prompt that is sent while the token ends runs once, whether it arrived or not",
    arguments: [true, false]
  )
  func expiryAtDelivery(hasArrived: Bool) {
    let trouble = Trouble()
    inFlowWorld(where: \.interceptor, is: trouble.interceptor) { flow in
      let session = try await flow.newSession()
      trouble.begin { step in
        guard step.isPrompt else { return .proceed }
        return hasArrived ? .performThenDrop : .ignore
      }
      async let asking = flow.ask("once", in: session, limits: Self.patient, waitingForTurn: true)
      try await flow.pass(.seconds(1))
      #expect(flow.server.deliveries == ["prompt"])
      trouble.end()
      flow.server.expireTokens()
      let delivery = try await asking
      await delivery.stream?.socket?.close()
      #expect(delivery.outcome.clientTurnID == "turn-once")
      try await flow.pass()
      #expect(flow.server.heard == ["once"])
    }
  }

  @Test("after a revocation, a stream is refused for good")
  func revoked() {
    inFlowWorld { flow in
      let session = try await flow.newSession()
      var feed = SessionFeed(api: try await flow.api, session: session, timeout: nil)
      while case .changes? = try await feed.next(until: flow.farOff) {}
      flow.server.revokeDevices()
      let error = await #expect(throws: OppiError.self) {
        while let news = try await feed.next(until: flow.farOff) {
          if case .lost = news { Issue.record("lost") }
        }
      }
      #expect(error?.reason == .accessRefused(.revoked))
    }
  }

  @Test("a server of an unknown dialect is recognized by its stream")
  func recognized() {
    inFlowWorld { flow in
      var session = try await flow.newSession()
      session.server.dialect = nil
      let outcome = try await flow.ask("hello", in: session).outcome
      #expect(outcome.stream == .session)
      #expect(outcome.state == .started)
      try await flow.pass()
      #expect(flow.server.heard == ["hello"])
    }
  }
}

// MARK: - The ends of tokens

extension SessionStreamTests {
  /// Ends all tokens, but not more often than a device may refresh its own in a minute.
  private struct Ender {
    let server: VirtualServer
    private(set) var count = 0

    init(_ server: VirtualServer) { self.server = server }

    mutating func end() {
      guard count < 9 else { return }
      count += 1
      server.expireTokens()
    }
  }

  @Test("no event is missing or repeated across the ends of many tokens, and none is a loss")
  func expiries() {
    inFlowWorld(where: \.pace, is: .milliseconds(100)) { flow in
      var ender = Ender(flow.server)
      let record = try await SessionFeedTests.follow(
        flow,
        prompt: "two tools",
        whenBusy: .queue
      ) { message in
        switch message.kind {
        case .agentStart, .toolStart, .toolEnd, .messageEnd, .agentEnd: ender.end()
        default: break
        }
      }
      #expect(ender.count > 6)
      #expect(record.sequences == Array(1...(record.sequences.last ?? 0)))
      #expect(record.losses == 0)
      // A stream may end again before the session is known to be up to date.
      #expect(record.renewals > 0 && record.renewals >= record.standings.count - 1)
      #expect(record.standings.dropFirst().allSatisfy { $0.isRenewal && $0.isComplete })
      #expect(flow.server.runs.count == 1)
    }
  }
}
