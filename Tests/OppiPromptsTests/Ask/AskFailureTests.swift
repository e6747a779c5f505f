// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiTransport
import Testing

@testable import OppiClient
@testable import OppiPrompts

/// The errors of prompts that did not reach their agent.
@Suite struct AskFailureTests {
  private static func failure(
    _ delivery: AskFailure.Delivery,
    cause: OppiError? = nil,
    sessionID: String? = "-CzT5M5I"
  ) -> AskFailure {
    AskFailure(
      delivery: delivery,
      cause: cause,
      sessionID: sessionID,
      server: "s",
      clientTurnID: "t"
    )
  }

  @Test("an unknown delivery has status 6, and the error names the session")
  func unknownDelivery() {
    let error = OppiError(Self.failure(.unknown(.lost), cause: .hungUp(server: "s")))
    #expect(error.code.status == .deliveryUnknown)
    #expect(error.message.contains("not resent"))
    #expect(error.json["error"]["sessionId"] == "-CzT5M5I")
    #expect(error.json["error"]["clientTurnId"] == "t")
  }

  @Test("an undelivered prompt of a new session has a hint to send it there")
  func sessionOnly() {
    let cause = OppiError.transport(.timedOut(.answer), server: "s")
    let error = OppiError(Self.failure(.notSent, cause: cause))
    #expect(error.code == .timedOut)
    #expect(error.hints.contains { $0.contains("oppi ask --session=-CzT5M5I") })
  }

  @Test("an error that a retry may cure says that the prompt was not sent if it has no session")
  func notSent() {
    let note = "the prompt was not sent"
    let (late, lasting) = (OppiError.hungUp(server: "s"), OppiError.unknownSession(name: "s"))
    for (cause, sessionID, isInOutbox, isSaid) in [
      (late, nil, false, true), (late, nil, true, false), (late, "-CzT5M5I", false, false),
      (lasting, nil, false, false),
    ] {
      var failure = Self.failure(.notSent, cause: cause, sessionID: sessionID)
      failure.isInOutbox = isInOutbox
      #expect(OppiError(failure).hints.contains(note) == isSaid, "\(failure)")
    }
    let unknown = OppiError(Self.failure(.unknown(.lost), cause: late, sessionID: nil))
    #expect(!unknown.hints.contains(note))
  }

  @Test("a session that existed before the prompt was not created")
  func existingSession() {
    var failure = Self.failure(.notSent, cause: .hungUp(server: "s"))
    #expect(OppiError(failure).hints.contains { $0.contains("was created") })
    failure.isNewSession = false
    let hints = OppiError(failure).hints
    #expect(hints.contains { $0.contains("oppi ask --session=-CzT5M5I") }, "\(hints)")
    #expect(!hints.contains { $0.contains("was created") }, "\(hints)")
  }

  @Test("a prompt that the outbox has is not to be sent again by hand")
  func inOutbox() {
    for delivery in [AskFailure.Delivery.notSent, .refused(.busy)] {
      for isInOutbox in [false, true] {
        var failure = Self.failure(delivery)
        failure.isInOutbox = isInOutbox
        let hints = OppiError(failure).hints
        #expect(hints.contains { $0.contains("oppi ask") } != isInOutbox, "\(hints)")
      }
    }
  }

  @Test("an unknown delivery without a session has a hint to check the sessions")
  func unknownSession() {
    let cause = OppiError.hungUp(server: "s")
    let error = OppiError(Self.failure(.unknown(.lost), cause: cause, sessionID: nil))
    #expect(error.hints == ["check the sessions before you resend the prompt: oppi sessions"])
  }

  @Test("hints do not name a session that no longer exists")
  func sessionGone() {
    for delivery in [AskFailure.Delivery.notSent, .unknown(.shutOut)] {
      let error = OppiError(Self.failure(delivery, cause: .unknownSession(name: "-CzT5M5I")))
      #expect(!error.hints.contains { $0.contains("CzT5M5I") }, "\(error)")
    }
  }

  @Test(
    "each refusal has its own status and code, and the server's reason after what failed",
    arguments: [
      (.full("Workspace session limit reached (20)", code: nil), 75, "no-room"),
      (.startFailed("Sandbox mode requires QEMU"), 69, "agent-not-started"),
      (.rejected("clientTurnId conflict: x", code: nil), 1, "prompt-refused"),
      (.rejected("Session not found: x", code: nil), 66, "no-such-session"),
      (.rejected("Subscribe rate limit exceeded", code: nil), 75, "too-many-requests"),
      (.agentRefused("No API key"), 1, "prompt-refused"),
      (.silent, 1, "prompt-refused"),
      (.busy, 75, "session-busy"),
    ] as [(PromptDelivery.Refusal, Int32, String)]
  )
  func refusals(refusal: PromptDelivery.Refusal, status: Int32, code: String) {
    let error = OppiError(Self.failure(.refused(refusal)))
    #expect(error.code.status.rawValue == status)
    #expect(error.code.rawValue == code)
    if let text = refusal.text { #expect(error.message.hasSuffix(": \(text)")) }
  }

  private static func refused(_ status: Int) -> OppiError {
    .refused(status: status, message: nil, server: "s")
  }

  @Test(
    "a prompt that did not run is sent later only if that may help, and none that may have run",
    arguments: [
      (.notSent, nil, true, false), (.notSent, .hungUp(server: "s"), true, false),
      (.notSent, .unknownSession(name: "x"), false, true), (.notSent, refused(401), false, false),
      (.notSent, refused(403), false, false), (.notSent, refused(404), false, true),
      (.notSent, refused(429), true, false), (.notSent, refused(503), true, false),
      (.refused(.full("full", code: nil)), nil, true, false), (.refused(.busy), nil, true, false),
      (.refused(.silent), nil, false, true),
      (.refused(.rejected("Subscribe rate limit exceeded", code: nil)), nil, true, false),
      (.refused(.rejected("clientTurnId conflict: x", code: nil)), nil, false, true),
      (.refused(.agentRefused("No API key")), nil, false, true),
      (.refused(.startFailed("no image")), nil, false, true),
      (.unknown(.lost), .hungUp(server: "s"), false, false),
      (.unknown(.lost), .unknownSession(name: "x"), false, false),
    ] as [(AskFailure.Delivery, OppiError?, Bool, Bool)]
  )
  func retries(delivery: AskFailure.Delivery, cause: OppiError?, isPassing: Bool, isLasting: Bool) {
    let failure = Self.failure(delivery, cause: cause, sessionID: nil)
    #expect(failure.isPassing == isPassing)
    #expect(failure.isLasting == isLasting)
    let mayHaveRun = if case .unknown = delivery { true } else { false }
    #expect(failure.isUnsent != mayHaveRun)
  }

  @Test("a deleted session is not named, and the server's error code is kept")
  func removed() {
    let refusal = PromptDelivery.Refusal.full("full", code: "SESSION_LIMIT_GLOBAL")
    let error = OppiError(Self.failure(.refused(refusal), sessionID: nil))
    #expect(error.json["error"]["sessionId"] == .null)
    #expect(error.json["error"]["serverCode"] == "SESSION_LIMIT_GLOBAL")
    #expect(!error.hints.contains { $0.contains("--session=") })
  }
}
