// SPDX-License-Identifier: MIT

package import EventLoop
import OppiText

/// The ways to notify this user that the environment provides.
package struct Desktop: DesktopAccess {
  private let address: SessionBusAddress?
  private let environment: [String: String]
  private let libraryNames: [String]?

  package var hasSessionBus: Bool { address != nil }

  package var ofLogin: any DesktopAccess {
    guard address == nil, (environment["XDG_RUNTIME_DIR"] ?? "").isEmpty else { return self }
    var environment = environment
    environment["XDG_RUNTIME_DIR"] = ProcessSetup.runtimeFolder()
    return Desktop(environment: environment, libraryNames: libraryNames)
  }

  package init(environment: [String: String], libraryNames: [String]? = nil) {
    address = SessionBusAddress(environment: environment)
    self.environment = environment
    self.libraryNames = libraryNames
  }

  /// The daemon over D-Bus, `notify-send` if libdbus is not available, else the user's own command;
  /// throws the D-Bus error if there is no other way.
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
    if case .noLibrary = failure,
      let program = Program.find("notify-send", path: environment["PATH"] ?? "")
    {
      return NotificationProgram(.notifySend, [program], on: loop)
    }
    if let command, !command.isEmpty { return NotificationProgram(.json, command, on: loop) }
    throw failure
  }
}

/// Finds ways to notify this user.
package protocol DesktopAccess: Sendable {
  /// Whether the environment has a session bus, so that a desktop is likely.
  var hasSessionBus: Bool { get }

  /// The access for a program outside of the login session, as under cron: without a session bus in
  /// the environment, it uses that of the user's login, if any.
  var ofLogin: any DesktopAccess { get }

  /// Returns the first available way to show notifications.
  ///
  /// - Parameters:
  ///   - command: The user's own command and its arguments, if any, used as the last resort.
  ///   - loop: The event loop.
  /// - Returns: The notifier.
  /// - Throws: The desktop's error if there is no way.
  func notifier(
    command: [String]?,
    on loop: EventLoop
  ) async throws(DesktopError) -> any DesktopNotifier
}

/// Notifies a user who is not looking at a terminal.
package protocol DesktopNotifier: Sendable {
  /// Whether it only stands in for a desktop, which may start later.
  var isLastResort: Bool { get }

  /// Whether buttons are available; if not, ``DesktopNotification/withoutActions`` is shown.
  var offersActions: Bool { get async throws(DesktopError) }

  /// Shows a notification, replacing the one with the same tag.
  ///
  /// Text is made safe to show and cut to the limits in ``NotificationText``.
  func show(_ notification: DesktopNotification) async throws(DesktopError)

  /// Removes the notification with a tag, if there is one and the notifier supports it.
  func withdraw(_ tag: String) async throws(DesktopError)

  /// Waits for the next event; only one task may call this at a time.
  ///
  /// - Throws: `.cancelled`, or why nothing can be shown any more.
  func next() async throws(DesktopError) -> DesktopEvent
}

extension DesktopNotifier {
  package var isLastResort: Bool { false }
}

/// The cache `mimeinfo.cache` of desktop entries in a folder, in which desktops find the program
/// for a file or link; written by `update-desktop-database`.
package struct DesktopDatabase: Sendable {
  /// Reading even thousands of entries takes less.
  private static let limit = Duration.seconds(10)

  private let program: String
  private let folder: String
  private let loop: EventLoop

  /// Fails if the program is not installed.
  package init?(folder: String, environment: [String: String], on loop: EventLoop) {
    guard let program = Program.find("update-desktop-database", path: environment["PATH"] ?? "")
    else { return nil }
    (self.program, self.folder, self.loop) = (program, folder, loop)
  }

  package var cache: String { "\(folder)/mimeinfo.cache" }

  /// Updates the cache; on failure it stays as it was.
  package func refresh() async {
    var process = ChildProcess(arguments: [program, folder])
    process.output = .discarded
    process.errors = .discarded
    _ = try? await process.run(on: loop, until: loop.now + Self.limit)
  }
}

package struct TerminalWindow {
  package enum Failure: Error, Sendable, Equatable {
    /// `$TERMINAL` is not a valid command line.
    case unreadableSetting(String)
  }

  private let environment: [String: String]
  private let programs: any ProgramAccess

  package init(environment: [String: String], programs: any ProgramAccess) {
    self.environment = environment
    self.programs = programs
  }

  /// The command for a program in a window of the first installed terminal; `nil` without one.
  package func command(running program: [String]) throws(Failure) -> [String]? {
    let own = try terminal()
    let candidates =
      hasDisplay ? [["xdg-terminal-exec"], own, ["x-terminal-emulator", "-e"]] : [own]
    for case let command? in candidates where programs.has(command[0]) {
      return command + program
    }
    return nil
  }

  /// Whether there is a display for windows; the terminal in `$TERMINAL` may not need one.
  private var hasDisplay: Bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].contains { environment[$0]?.isEmpty == false }
  }

  /// The words of `$TERMINAL`, to which a program can be appended.
  private func terminal() throws(Failure) -> [String]? {
    guard let text = environment["TERMINAL"], !text.isEmpty else { return nil }
    guard let words = ShellWords.split(text), words.first?.isEmpty == false else {
      throw .unreadableSetting(text)
    }
    let isReady = words.count > 1 && ["-e", "-x", "--"].contains(words.last)
    return isReady ? words : words + ["-e"]
  }
}
