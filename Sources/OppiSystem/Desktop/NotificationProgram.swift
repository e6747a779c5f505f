// SPDX-License-Identifier: MIT

package import EventLoop
import OppiText

/// Shows notifications with another program, which is run once per notification.
///
/// It supports neither buttons nor events, and cannot withdraw notifications.
package struct NotificationProgram: DesktopNotifier {
  /// A program that takes longer is killed together with its children.
  package static let limit = Duration.seconds(10)

  package enum Interface: Sendable {
    /// `notify-send` of libnotify, used if libdbus is not available; the environment must provide
    /// the session bus.
    ///
    /// With buttons, it would wait for the answer, even forever if the daemon exits. A later
    /// notification replaces an earlier one with the same tag if the desktop supports that.
    case notifySend
    /// The user's own command, which forwards notifications to a phone, a chat or a mailbox: it gets
    /// one JSON object on standard input, and its output is ignored.
    case json
  }

  private let interface: Interface
  /// The program, found on `PATH`, and its first arguments.
  private let arguments: [String]
  private let limit: Duration
  private let programs: any ProgramAccess
  private let loop: EventLoop

  package init(
    _ interface: Interface,
    _ arguments: [String],
    limit: Duration = limit,
    from programs: any ProgramAccess = SystemPrograms(environment: [:]),
    on loop: EventLoop
  ) {
    (self.interface, self.arguments, self.limit) = (interface, arguments, limit)
    (self.programs, self.loop) = (programs, loop)
  }

  package var isLastResort: Bool { interface == .json }

  package var offersActions: Bool { false }

  package func show(_ notification: DesktopNotification) async throws(DesktopError) {
    var process = ChildProcess(arguments: arguments)
    switch interface {
    case .notifySend: process.arguments += notification.notifySendArguments
    case .json: process.input = notification.json.bytes() + Array("\n".utf8)
    }
    process.output = .discarded
    process.errors = .discarded
    let status: Int32
    do {
      status = try await programs.run(process, on: loop, until: loop.now + limit).status
    } catch {
      throw DesktopError(error, program: arguments[0])
    }
    guard status == 0 else { throw .failed(program: arguments[0], status: status) }
  }

  package func withdraw(_ tag: String) {}

  package func next() async throws(DesktopError) -> DesktopEvent {
    do {
      while true { _ = try await loop.wait(for: [], until: nil) }
    } catch {
      throw DesktopError(error)
    }
  }
}

extension DesktopError {
  fileprivate init(_ failure: ChildProcess.Failure, program: String) {
    switch failure {
    case .cannotStart(let cause): self = .cannotStart(program: program, cause)
    case .timedOut, .tooMuchOutput: self = .timedOut
    case .cancelled: self = .cancelled
    }
  }
}

extension DesktopNotification {
  /// The arguments of notify-send 0.7 and later.
  fileprivate var notifySendArguments: [String] {
    var words = ["-a", "oppi", "-u", urgency.word]
    if let category { words += ["-c", NotificationText.name(category)] }
    if expiry != nil { words += ["-t", String(expiryMilliseconds)] }
    // Versions before 0.8 do not support boolean hints.
    if isTransient { words += ["-h", "int:transient:1"] }
    // A colon would end the value of a hint.
    let tag = NotificationText.stackTag(of: self).replacing(":", with: "/")
    words += ["-h", "string:desktop-entry:oppi"]
    words += ["-h", "string:x-canonical-private-synchronous:\(tag)"]
    // It interprets backslash escapes in the body like C; desktops without markup are rare.
    let text = NotificationText.body(of: self, offeringActions: false)
    let body = NotificationText.escaped(text).replacing(#"\"#, with: #"\\"#)
    return words + ["--", NotificationText.summary(of: self), body]
  }

  fileprivate var json: JSONValue {
    var members = JSONObject([
      ("body", .string(NotificationText.body(of: self, offeringActions: false))),
      ("summary", .string(NotificationText.summary(of: self))),
      ("tag", .string(NotificationText.name(tag))),
      ("type", "notification"),
      ("urgency", .string(urgency.word)),
    ])
    if let category { members["category"] = .string(NotificationText.name(category)) }
    return .object(members)
  }
}
