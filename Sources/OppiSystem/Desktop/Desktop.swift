// SPDX-License-Identifier: MIT

package import EventLoop

/// The ways to tell this user something, as far as the environment leads to them.
package struct Desktop: DesktopAccess {
  private let address: SessionBusAddress?
  private let environment: [String: String]
  private var path: String { environment["PATH"] ?? "" }
  private let libraryNames: [String]?

  /// Looks for the session bus and for programs in an environment.
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

  /// Finds who shows notifications: the daemon over D-Bus; `notify-send` where libdbus cannot be
  /// had; else the user's own command.
  ///
  /// - Parameters:
  ///   - command: The user's command and its arguments, where there is one.
  ///   - loop: The loop that all waiting is done on.
  /// - Returns: The first of them that can be had.
  /// - Throws: What is wrong with D-Bus, where there is no other way.
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
