// SPDX-License-Identifier: MIT

package import EventLoop

/// Why nothing can be shown on the desktop.
package enum DesktopError: Error, Equatable {
  /// libdbus is not installed, or of no use.
  case noLibrary(SharedLibrary.Failure)
  /// This user has no session bus that is known here, as in a job of cron or over ssh.
  case noBus
  /// There is an address, but nothing that answers there as a bus.
  case cannotConnect(reason: String)
  /// The bus went away, or threw this program out; the connection is of no more use.
  case busGone
  /// Nothing on the bus shows notifications, nor can it be started.
  case noDaemon
  /// The call was answered by an error.
  case refused(reason: String)
  /// The program that shows notifications cannot be started.
  case cannotStart(program: String, SystemError)
  /// The program that shows notifications ended so.
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
  /// The failure in words, lower case, with what to do about it where something can be done.
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
