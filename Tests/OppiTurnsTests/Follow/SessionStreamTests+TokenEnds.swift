// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport
@testable import OppiTurns

/// Turns that are followed across the ends of many tokens, each of which ends the stream.
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

  @Test("a follower reports each text once and the answer, across the ends of many tokens")
  func following() {
    inFlowWorld(where: \.pace, is: .milliseconds(100)) { flow in
      let session = try await flow.newSession()
      let delivery = try await flow.ask(
        "two tools",
        in: session,
        limits: Self.patient,
        waitingForTurn: true
      )
      var feed = SessionFeed(api: try await flow.api, session: session, timeout: .seconds(20))
      if let stream = delivery.stream { feed.adopt(stream) }
      var follower = TurnFollower(feed: feed)
      _ = follower.reducer.begin(
        clientTurnID: "turn-1",
        prompt: "two tools",
        isQueued: false,
        at: Timestamp(seconds: 0)
      )
      var ender = Ender(flow.server)
      var pieces = ""
      var finished: [String] = []
      var outcome: TurnOutcome?
      while outcome == nil {
        switch try await follower.next(until: flow.farOff) {
        case .changes(let changes, of: let message):
          if case .textDelta? = message?.kind { ender.end() }
          for change in changes {
            switch change {
            case .text(let text): pieces += text
            case .textReplaced: Issue.record("a text was corrected")
            case .textFinished(let text): finished.append(text)
            case .turnFinished(let end, isOwn: true): outcome = end
            default: break
            }
          }
        case .past(let changes): Issue.record("\(changes)")
        case .lost(let error): Issue.record("\(error)")
        case .renewing, .caughtUp, nil: break
        case .givenUp(let error):
          Issue.record("\(error)")
          outcome = .empty
        }
      }
      await follower.feed.close()
      #expect(pieces == finished.joined())
      #expect(outcome == .succeeded(answer: finished.last ?? ""))
      #expect(flow.server.refreshes > 0)
    }
  }
}
