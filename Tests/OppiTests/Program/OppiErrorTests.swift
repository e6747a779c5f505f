// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import HTTPCodec
import OppiModel
import OppiSystem
import OppiTransport
import OppiWire
import Testing
import WebSocketCodec

@testable import Oppi
@testable import OppiClient

@Suite struct OppiErrorTests {
  @Test(
    "each exit status that scripts distinguish is fixed",
    arguments: [
      (.turnFailed, 1), (.waitingForHuman, 3), (.turnStopped, 4), (.deliveryUnknown, 6),
      (.usage, 64), (.ambiguousName, 64), (.badInput, 65), (.noSuchSession, 66),
      (.noLaunchTarget, 66), (.noSuchWorkspace, 66), (.serverUnreachable, 69),
      (.agentNotStarted, 69), (.tlsUnavailable, 69), (.serverError, 69), (.bug, 70),
      (.cannotCreate, 73), (.ioFailed, 74), (.timedOut, 75), (.noRoom, 75), (.tooManyRequests, 75),
      (.locked, 75), (.protocolBroken, 76), (.unauthorized, 77), (.pinMismatch, 77),
      (.certificateRejected, 77), (.notPaired, 78), (.noToken, 78), (.unsafeMode, 78),
      (.waitTimedOut, 124), (.interrupted, 130), (.terminated, 143),
    ] as [(OppiError.Code, Int32)]
  )
  func statuses(code: OppiError.Code, status: Int32) {
    #expect(code.status.rawValue == status)
  }

  /// Errors of lower layers, with their code and message.
  private static let cases: [(OppiError, OppiError.Code, String)] = [
    (
      .transport(.connectFailed(SystemError("connect", code: 111)), server: "studio"),
      .serverUnreachable,
      "Can't reach studio: connection refused"
    ),
    (
      .transport(.timedOut(.connect), server: "studio"), .timedOut,
      "Connection timed out: studio (connecting)"
    ),
    (
      .transport(.closed(.answer), server: "studio"), .serverUnreachable,
      "studio closed the connection (waiting for the response)"
    ),
    (
      .transport(.malformedAnswer(.notHTTP), server: "studio"), .protocolBroken,
      "studio sent an invalid HTTP response: \(HTTPError.notHTTP)"
    ),
    (
      .transport(.webSocketBroken(.maskedByServer), server: "studio"), .protocolBroken,
      "studio violated the WebSocket protocol: \(ProtocolError.maskedByServer)"
    ),
    (
      .refused(status: 500, message: "Workspace session limit reached (20)", server: "studio"),
      .noRoom,
      "studio has no room for another session: Workspace session limit reached (20)"
    ),
    (
      .notSubscribed(.startFailed("Sandbox mode requires QEMU"), server: "studio"),
      .agentNotStarted,
      "studio cannot start the agent: Sandbox mode requires QEMU"
    ),
    (
      .transport(.tlsUnavailable, server: "studio"), .tlsUnavailable,
      "Can't reach studio: https requires OpenSSL's libssl, which is not installed"
    ),
    (
      .transport(
        .pinMismatch(found: Fingerprint(digest: [UInt8](repeating: 1, count: 32))),
        server: "s"
      ),
      .pinMismatch,
      "the certificate of s does not match its pin; nothing was sent"
    ),
    (
      .transport(.certificateRejected(reason: "certificate has expired"), server: "s"),
      .certificateRejected,
      "the certificate of s is not trusted: certificate has expired"
    ),
    (
      .refused(status: 401, message: "Unauthorized", server: "s"), .unauthorized,
      "s rejected this machine's token: Unauthorized"
    ),
    (.refused(status: 403, message: nil, server: "s"), .unauthorized, "s denied access (403)"),
    (
      .refused(status: 404, message: "Not found", server: "s"), .protocolBroken,
      "s does not know the requested path (404): Not found"
    ),
    (
      .refused(status: 429, message: nil, server: "s"), .tooManyRequests,
      "s received too many requests"
    ),
    (.refused(status: 500, message: "boom", server: "s"), .serverError, "s failed (500): boom"),
    (.refused(status: 503, message: nil, server: "s"), .timedOut, "s is not ready (503)"),
    (.notPaired, .notPaired, "not paired with any server"),
    (.unknownWorkspace(name: "x\u{1B}[2J", known: []), .noSuchWorkspace, "no workspace 'x'"),
    (
      .ambiguousWorkspace(name: "a", candidates: ["s/a", "t/a"]), .ambiguousName,
      "'a' is ambiguous: it matches several workspaces"
    ),
    (.unknownSession(name: "zz"), .noSuchSession, "no session 'zz'"),
    (
      .file(.unsafeMode(path: "/c.json", mode: 0o644, needed: "600")), .unsafeMode,
      "/c.json has mode 644, which gives other users access"
    ),
    (.file(.lockHeld(path: "/l")), .locked, "another oppi process has locked /l"),
    (InviteError.notAnInvite.explanation, .badInput, "not an invite"),
  ]

  @Test("every failure has its code and a one-line message", arguments: cases)
  func conversion(error: OppiError, code: OppiError.Code, message: String) {
    #expect(error.code == code)
    #expect(error.message == message)
    #expect(!error.message.contains("\n") && !error.message.hasSuffix("."))
    let isAppText = Self.appTexts.contains { error.message.hasPrefix($0) }
    #expect(isAppText || error.message.first?.isUppercase == false, "\(error.message)")
  }

  /// The beginnings of the texts that the app uses as well.
  private static let appTexts = ["Can't reach ", "Connection timed out: "]

  @Test(
    "a mistyped workspace has a suggestion, or else the list of workspaces",
    arguments: [
      ("wepapp", "did you mean 'studio/webapp' or 'box/webapp'?"),
      ("studio/wepapp", "did you mean 'studio/webapp'?"), ("demp", "did you mean 'studio/demo'?"),
      ("cellar", "available: studio/demo, studio/webapp, box/webapp"),
    ]
  )
  func meantWorkspace(name: String, hint: String) {
    let known = ["studio/demo", "studio/webapp", "box/webapp"]
    #expect(OppiError.unknownWorkspace(name: name, known: known).hints == [hint])
  }

  @Test("a mistyped server has a suggestion")
  func meantServer() {
    let error = OppiError.unknownServer(name: "studoi", known: ["box", "studio"])
    #expect(error.hints == ["did you mean 'studio'?"])
  }

  @Test("codes are unique and have the same format")
  func codes() {
    let codes = OppiError.Code.allCases.map(\.rawValue)
    #expect(Set(codes).count == codes.count)
    #expect(codes.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "-" } })
  }

  @Test("an invalid launch target has a hint to create a new one")
  func launchTarget() {
    let error = FileError.unusable(path: "/s/launch-target.json", reason: "not a launch target")
    #expect(OppiError(error).hints == ["create a new one with: oppi new"])
  }

  @Test("an error for missing permissions or a full disk has a hint")
  func files() {
    func hints(_ code: Int32) -> [[String]] {
      let cause = SystemError("open", code: code)
      return [
        FileError.cannotRead(path: "/x/y", cause), .cannotWrite(path: "/x/y", cause),
        .cannotCreate(path: "/x/y", cause),
      ].map { OppiError($0).hints }
    }
    #expect(hints(EACCES).allSatisfy { $0 == ["show the permissions: namei -l '/x/y'"] })
    #expect(hints(ENOSPC).allSatisfy { $0 == ["free some disk space"] })
    #expect(hints(EIO).allSatisfy { $0.isEmpty })
  }
}
