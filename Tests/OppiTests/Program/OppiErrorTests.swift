// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import HTTPCodec
import OppiModel
import OppiSystem
import OppiTransport
import TestSupport
import Testing
import WebSocketCodec

@testable import Oppi

@Suite struct OppiErrorTests {
  /// An error of a lower layer, with the expected code, status and message.
  struct Case: CustomTestStringConvertible, Sendable {
    var error: OppiError
    var code: OppiError.Code
    var status: Int32
    var message: String

    var testDescription: String { message }
  }

  @Test(
    "each exit status that scripts distinguish is fixed",
    arguments: [
      (.turnFailed, 1), (.waitingForHuman, 3), (.turnStopped, 4), (.deliveryUnknown, 6),
      (.usage, 64), (.badInput, 65), (.noSuchSession, 66),
      (.noLaunchTarget, 66), (.serverUnreachable, 69), (.bug, 70),
      (.cannotCreate, 73), (.ioFailed, 74), (.timedOut, 75), (.protocolBroken, 76),
      (.unauthorized, 77), (.notPaired, 78), (.noToken, 78), (.waitTimedOut, 124),
      (.interrupted, 130),
      (.terminated, 143),
    ] as [(OppiError.Code, Int32)]
  )
  func statuses(code: OppiError.Code, status: Int32) {
    #expect(code.status.rawValue == status)
  }

  private static let cases: [Case] = [
    Case(
      error: .transport(.connectFailed(SystemError("connect", code: 111)), server: "studio"),
      code: .serverUnreachable,
      status: 69,
      message: "Can't reach studio: connection refused"
    ),
    Case(
      error: .transport(.timedOut(.connect), server: "studio"),
      code: .timedOut,
      status: 75,
      message: "Connection timed out: studio (connecting)"
    ),
    Case(
      error: .transport(.closed(.answer), server: "studio"),
      code: .serverUnreachable,
      status: 69,
      message: "studio closed the connection (waiting for the response)"
    ),
    Case(
      error: .transport(.malformedAnswer(.notHTTP), server: "studio"),
      code: .protocolBroken,
      status: 76,
      message: "studio sent an invalid HTTP response: \(HTTPError.notHTTP)"
    ),
    Case(
      error: .transport(.webSocketBroken(.maskedByServer), server: "studio"),
      code: .protocolBroken,
      status: 76,
      message: "studio violated the WebSocket protocol: \(ProtocolError.maskedByServer)"
    ),
    Case(
      error: .refused(
        status: 500,
        message: "Workspace session limit reached (20)",
        server: "studio"
      ),
      code: .noRoom,
      status: 75,
      message: "studio has no room for another session: Workspace session limit reached (20)"
    ),
    Case(
      error: .notSubscribed(.startFailed("Sandbox mode requires QEMU"), server: "studio"),
      code: .agentNotStarted,
      status: 69,
      message: "studio cannot start the agent: Sandbox mode requires QEMU"
    ),
    Case(
      error: .transport(.tlsUnavailable, server: "studio"),
      code: .tlsUnavailable,
      status: 69,
      message: "Can't reach studio: https requires OpenSSL's libssl, which is not installed"
    ),
    Case(
      error: .transport(
        .pinMismatch(found: Fingerprint(digest: [UInt8](repeating: 1, count: 32))),
        server: "s"
      ),
      code: .pinMismatch,
      status: 77,
      message: "the certificate of s does not match its pin; nothing was sent"
    ),
    Case(
      error: .transport(.certificateRejected(reason: "certificate has expired"), server: "s"),
      code: .certificateRejected,
      status: 77,
      message: "the certificate of s is not trusted: certificate has expired"
    ),
    Case(
      error: .refused(status: 401, message: "Unauthorized", server: "s"),
      code: .unauthorized,
      status: 77,
      message: "s rejected this machine's token: Unauthorized"
    ),
    Case(
      error: .refused(status: 403, message: nil, server: "s"),
      code: .unauthorized,
      status: 77,
      message: "s denied access (403)"
    ),
    Case(
      error: .refused(status: 404, message: "Not found", server: "s"),
      code: .protocolBroken,
      status: 76,
      message: "s does not know the requested path (404): Not found"
    ),
    Case(
      error: .refused(status: 429, message: nil, server: "s"),
      code: .tooManyRequests,
      status: 75,
      message: "s received too many requests"
    ),
    Case(
      error: .refused(status: 500, message: "boom", server: "s"),
      code: .serverError,
      status: 69,
      message: "s failed (500): boom"
    ),
    Case(
      error: .refused(status: 503, message: nil, server: "s"),
      code: .timedOut,
      status: 75,
      message: "s is not ready (503)"
    ),
    Case(error: .notPaired, code: .notPaired, status: 78, message: "not paired with any server"),
    Case(
      error: .unknownWorkspace(name: "x\u{1B}[2J", known: []),
      code: .noSuchWorkspace,
      status: 66,
      message: "no workspace 'x'"
    ),
    Case(
      error: .ambiguousWorkspace(name: "a", candidates: ["s/a", "t/a"]),
      code: .ambiguousName,
      status: 64,
      message: "'a' is ambiguous: it matches several workspaces"
    ),
    Case(
      error: .unknownSession(name: "zz"),
      code: .noSuchSession,
      status: 66,
      message: "no session 'zz'"
    ),
    Case(
      error: .file(.unsafeMode(path: "/c.json", mode: 0o644, needed: "600")),
      code: .unsafeMode,
      status: 78,
      message: "/c.json has mode 644, which gives other users access"
    ),
    Case(
      error: .file(.lockHeld(path: "/l")),
      code: .locked,
      status: 75,
      message: "another oppi process has locked /l"
    ),
    Case(
      error: InviteError.notAnInvite.explanation,
      code: .badInput,
      status: 65,
      message: "not an invite"
    ),
  ]

  @Test("every failure has its code, its status and a one-line message", arguments: cases)
  func conversion(_ test: Case) {
    let error = test.error
    #expect(error.code == test.code)
    #expect(error.code.status.rawValue == test.status)
    #expect(error.message == test.message)
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
