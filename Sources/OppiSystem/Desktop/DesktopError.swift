// SPDX-License-Identifier: MIT

package import EventLoop

package enum DesktopError: Error, Equatable {
  case noLibrary(SharedLibrary.Failure)
  /// No session bus is known, as in a cron job or over ssh.
  case noBus
  /// Nothing answers as a bus at the address.
  case cannotConnect(reason: String)
  /// The bus closed the connection, which is no longer usable.
  case busGone
  case noDaemon
  case refused(reason: String)
  case cannotStart(program: String, SystemError)
  case failed(program: String, status: Int32)
  case timedOut
  case cancelled
  case outOfMemory
}

extension DesktopError {
  init(_ error: EventLoop.WaitError) {
    self = error == .timedOut ? .timedOut : .cancelled
  }
}

extension DesktopError: CustomStringConvertible {
  /// The error in lower case, with a hint if there is one.
  package var description: String {
    switch self {
    case .noLibrary(.missing): "libdbus is not installed (package libdbus-1-3, dbus-libs or dbus)"
    case .noLibrary(.unusable(let reason)): "libdbus cannot be loaded: \(reason)"
    case .noLibrary(.lacks(let function)): "libdbus is too old: it has no \(function)"
    case .noBus:
      "no session bus found via DBUS_SESSION_BUS_ADDRESS or XDG_RUNTIME_DIR"
    case .cannotConnect(let reason): "cannot connect to the session bus: \(reason)"
    case .busGone: "lost the connection to the session bus"
    case .noDaemon: "no notification daemon is running"
    case .refused(let reason): "the notification daemon returned an error: \(reason)"
    case .cannotStart(let program, let cause): "cannot start \(program): \(cause)"
    case .failed(let program, let status): "\(program) exited with status \(status)"
    case .timedOut: "timed out"
    case .cancelled: "cancelled"
    case .outOfMemory: "out of memory"
    }
  }
}
