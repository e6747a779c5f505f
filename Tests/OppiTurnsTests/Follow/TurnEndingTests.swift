// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiText
import OppiWire
import Testing

@testable import OppiClient
@testable import OppiTurns

/// The state and the exit status of each end of a watch.
@Suite struct TurnEndingTests {
  private static let call = HumanRequest.permission(
    PermissionRequest(id: "p", tool: "bash", input: ["command": "ls"], summary: "ls")
  )
  private static let away = OppiError.hungUp(server: "studio")
  private static let broken = OppiError.malformedAnswer(server: "studio", what: "message")
  private static let gone = OppiError.unknownSession(name: "s")

  private static let ends: [(ending: TurnEnding, state: String, code: OppiError.Code?)] = [
    (.turn(.succeeded(answer: "x")), "finished", nil), (.turn(.empty), "empty", .turnFailed),
    (.turn(.failed("no key")), "failed", .turnFailed),
    (.turn(.failed("429 too many requests")), "limited", .limited),
    (.turn(.stopped(reason: nil)), "stopped", .turnStopped),
    (.turn(.dropped), "stopped", .turnStopped),
    (.turn(.unknown(reason: nil)), "unknown", .outcomeUnknown),
    (.rejected("not JSON"), "failed", .turnFailed), (.idle, "idle", nil),
    (.needsHuman(call), "waiting", .waitingForHuman),
    (.timedOut(need: call), "waiting", .waitTimedOut),
    (.timedOut(need: nil), "unknown", .waitTimedOut),
    (.timedOutAway(away), "unknown", .waitTimedOut),
    (.lost(away, isOwnTurn: true), "unknown", .outcomeUnknown),
    (.lost(broken, isOwnTurn: true), "unknown", .outcomeUnknown),
    (.lost(gone, isOwnTurn: true), "unknown", .outcomeUnknown),
    (.lost(away, isOwnTurn: false), "unknown", .serverUnreachable),
    (.lost(broken, isOwnTurn: false), "unknown", .protocolBroken),
    (.lost(gone, isOwnTurn: false), "unknown", .noSuchSession),
  ]

  @Test("each end has its state and its exit status", arguments: ends.indices)
  func codes(index: Int) {
    let (ending, state, code) = Self.ends[index]
    #expect(ending.state == state)
    let failure = ending.failure(sessionID: "S", at: nil)
    #expect(failure?.code == code)
    guard let failure else { return }
    #expect(failure.details["sessionId"] == "S" && failure.details["state"]?.string == state)
    #expect(!failure.message.contains("\n"))
  }

  @Test("only a lost connection to an own turn advises to wait for the server")
  func advice() throws {
    func hint(_ cause: OppiError, isOwn: Bool) throws -> String {
      let ending = TurnEnding.lost(cause, isOwnTurn: isOwn)
      return try #require(ending.failure(sessionID: "S", at: nil)?.hints.first)
    }
    #expect(try hint(Self.away, isOwn: true).hasPrefix("when the server is available again: "))
    #expect(try hint(Self.broken, isOwn: true).hasPrefix("check again with: "))
    #expect(try hint(Self.away, isOwn: false).hasPrefix("when the server is available again: "))
  }

  @Test("a turn that was stopped because of its cost says so")
  func budget() {
    let over = TurnEnding.turn(.stopped(reason: TurnWatch.budgetReason))
    #expect(over.isOverBudget)
    #expect(over.failure(sessionID: "S", at: nil)?.details["reason"] == "budget")
    for ending in [
      TurnEnding.turn(.stopped(reason: nil)), .turn(.stopped(reason: "the session ended")), .idle,
    ] {
      #expect(!ending.isOverBudget)
      #expect(ending.failure(sessionID: "S", at: nil)?.details["reason"] == nil)
    }
  }

  @Test("the reset of a usage limit is reported only if the end of the turn is known")
  func reset() {
    let text = #"429 {"resets_in_seconds":60}"#
    let limited = TurnEnding.turn(.failed(text))
    let end = Timestamp(seconds: 1_800_000_000)
    #expect(limited.resetAt(after: end) == Timestamp(seconds: 1_800_000_060))
    let told = limited.failure(sessionID: "S", at: end)
    #expect(told?.details["resetAt"]?.string == Timestamp(seconds: 1_800_000_060).iso8601)
    let clock = LocalTime.minute(of: Timestamp(seconds: 1_800_000_060), seenAt: end)
    #expect(told?.message == "usage limit reached; resets \(clock) (in 1 min)")
    #expect(told?.hints == [])
    let later = limited.failure(sessionID: "S", at: end, now: end.moved(by: .seconds(60)))
    #expect(later?.message == "usage limit reached; was reset at \(clock)")
    #expect(limited.failure(sessionID: "S", at: nil)?.details["resetAt"] == nil)
    #expect(TurnEnding.rejected(text).resetAt(after: end) == nil)
    #expect(TurnEnding.turn(.stopped(reason: text)).resetAt(after: end) == nil)
  }
}

@Suite struct WakeSignalTests {
  @Test("a signal that was sent before the wait ends it at once")
  func earlier() async {
    let signal = WakeSignal()
    signal.send()
    #expect(await signal.wait())
  }

  @Test("a cancelled wait ends without a signal, and the next signal is for the next wait")
  func cancelled() async {
    let signal = WakeSignal()
    let wait = Task { await signal.wait() }
    wait.cancel()
    #expect(await !wait.value)
    signal.send()
    #expect(await signal.wait())
  }

  @Test("a wait that has begun ends with the signal")
  func later() async {
    let signal = WakeSignal()
    async let wait = signal.wait()
    await Task.yield()
    signal.send()
    #expect(await wait)
  }
}
