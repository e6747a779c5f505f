// SPDX-License-Identifier: MIT

package import EventLoop

/// The ways to notify this user that the environment provides.
package struct Desktop: DesktopAccess {
  private let address: SessionBusAddress?
  private let environment: [String: String]
  private var path: String { environment["PATH"] ?? "" }
  private let libraryNames: [String]?

  package init(environment: [String: String]) {
    self.init(environment: environment, libraryNames: nil)
  }

  package var hasSessionBus: Bool { address != nil }

  package var ofLogin: any DesktopAccess {
    guard address == nil, (environment["XDG_RUNTIME_DIR"] ?? "").isEmpty else { return self }
    var environment = environment
    environment["XDG_RUNTIME_DIR"] = ProcessSetup.runtimeFolder()
    return Desktop(environment: environment, libraryNames: libraryNames)
  }

  init(environment: [String: String], libraryNames: [String]?) {
    address = SessionBusAddress(environment: environment)
    self.environment = environment
    self.libraryNames = libraryNames
  }

  /// Returns the first available way to show notifications: the daemon over D-Bus, `notify-send` if
  /// libdbus is not available, else the user's own command.
  ///
  /// - Parameters:
  ///   - command: The user's command and its arguments, if any.
  ///   - loop: The event loop.
  /// - Returns: The notifier.
  /// - Throws: The D-Bus error if there is no other way.
  package func notifier(
    command: [String]?,
    on loop: EventLoop
  ) async throws(DesktopError) -> any DesktopNotifier {
    let failure: DesktopError
    do throws(DesktopError) {
      guard let address else { throw .noBus }
      return try await NotificationDaemon(at: address, libraryNames: libraryNames, on: loop)
    } catch .cancelled {
      throw .cancelled
    } catch {
      failure = error
    }
    if case .noLibrary = failure, let program = Program.find("notify-send", path: path) {
      return NotificationProgram.notifySend(program, on: loop)
    }
    if let command, !command.isEmpty { return NotificationProgram.command(command, on: loop) }
    throw failure
  }
}
