// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
package import OppiSystem
package import OppiText
package import OppiTransport
import Synchronization

/// The environment of a flow: the user's files, the paired servers, other programs, the desktop and
/// time.
///
/// Flows know no command line and print nothing; they report through ``reporter``.
package struct Services: Sendable {
  package var environment: [String: String]
  package var paths: XDGPaths
  package let network: Network
  package let files: FileStore
  package let programs: any ProgramAccess
  package var desktop: any DesktopAccess
  package let workingDirectory: @Sendable () -> WorkingDirectory
  /// The path of this program, as it was called.
  package let programPath: @Sendable () -> String
  package let systemEnding = SystemEnding()
  /// The warning that what was shown cannot be recorded.
  let shownWarning = SingleWarning()
  /// The access tokens that cannot be stored.
  let unsharedTokens = UnsharedTokens()
  /// The user's limit for a flow; `nil` for none.
  package var timeout: Duration?
  package var reporter: any Reporter
  /// The words of the command that runs, such as `chat`.
  var command: [String] = []
  /// Whether servers are asked although they have refused this device until it is paired again.
  var asksAgain = false

  /// A variable of the environment; `nil` if it is unset or empty.
  package func nonEmpty(_ variable: String) -> String? {
    environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  package var loop: EventLoop { network.loop }

  package func now() -> Timestamp { loop.timestamp() }
}

// MARK: - The machine's schedulers

extension Services {
  package var tools: ToolRunner {
    ToolRunner(programs: programs, environment: environment, loop: loop)
  }
  package var userManager: UserManager {
    UserManager(
      runtimeFolder: nonEmpty("XDG_RUNTIME_DIR"),
      paths: paths,
      files: files,
      tools: tools
    )
  }
  package var crontab: CrontabProgram { CrontabProgram(tools: tools, files: files) }
}

extension Services {
  package var terminalWindow: TerminalWindow {
    TerminalWindow(environment: environment, programs: programs)
  }

  /// Opens a terminal window that runs another command of this program, and returns the program
  /// that opens the window.
  ///
  /// `remedy` is a command for machines on which no window can be opened.
  package func openWindow(running words: [String], orElse remedy: String? = nil) throws -> String {
    guard let command = try terminalWindow.command(running: [programPath()] + words) else {
      let hints = ["set $TERMINAL"] + (remedy.map { ["or run: \($0)"] } ?? [])
      throw OppiError(.badConfiguration, "no terminal program found to open a window", hints: hints)
    }
    do {
      try programs.startDetached(command)
    } catch {
      throw OppiError(.badConfiguration, "cannot start \(command[0]): \(error)")
    }
    return command[0]
  }
}

/// Receives the messages of a running flow; its result is separate.
package protocol Reporter: Sendable {
  /// Warns of a problem that does not stop the flow.
  func warn(_ message: String) async
  /// Reports what was done or skipped; suppressed by `--quiet`.
  func status(_ message: String) async
  /// Reports a step, for troubleshooting; shown only with `--verbose`.
  func detail(_ message: @autoclosure () -> String) async
  /// The error's code and one-line message.
  func reason(of error: any Error) -> FailureReason
}

extension Reporter {
  /// Warns of a problem with its cause: `MESSAGE: CAUSE`.
  package func warn(_ message: String, because error: any Error) async {
    await warn("\(message): \(reason(of: error).message)")
  }

  /// Reports an error as a detail: `MESSAGE: CAUSE`.
  package func detail(_ message: String, because error: any Error) async {
    await detail("\(message): \(reason(of: error).message)")
  }
}

/// Whether the system asked the program to exit, as at shutdown or logout; Ctrl-C does not count.
package final class SystemEnding: Sendable {
  private let flag = Mutex(false)

  package var isAsked: Bool { flag.withLock { $0 } }

  package func ask() { flag.withLock { $0 = true } }
}

/// A warning that a program gives at most once.
package final class SingleWarning: Sendable {
  private let isGiven = Mutex(false)

  /// Whether it has not been given; counts as given from now on.
  func begin() -> Bool {
    isGiven.withLock { isGiven in
      defer { isGiven = true }
      return !isGiven
    }
  }
}

extension Services {
  /// Warns of the files that the program did without, each once.
  package func reportFileFaults() async {
    for fault in files.faults.take() {
      let error = fault.error.explanation
      // A warning is one line: with --json, a hint has no member of its own.
      let rest = fault.isReplaced ? ["it is replaced"] : error.hints
      await reporter.warn(([error.message] + rest).joined(separator: "; "))
    }
  }
}

// MARK: - Foundations

extension EventLoop {
  /// The current wall-clock time.
  package func timestamp() -> Timestamp { Timestamp(timeOfDay: timeOfDay) }

  /// The current time on the wall clock and since boot.
  package func machineTime() -> MachineTime {
    MachineTime(timeOfDay: timestamp(), sinceBoot: now.elapsed)
  }

  /// A random UUID (RFC 9562, version 4).
  package func newID() -> String {
    let high = random.next() & ~0xF000 | 0x4000
    let low = random.next() & ~(0b11 << 62) | 0b10 << 62
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for place in 0..<32 {
      if [8, 12, 16, 20].contains(place) { text.append(UInt8(ascii: "-")) }
      let half = place < 16 ? high : low
      text.append(digits[Int(half >> (60 - place % 16 * 4) & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension EventLoop.WaitError {
  /// The transport error of a wait for an answer.
  package var transportError: TransportError {
    switch self {
    case .timedOut: .timedOut(.answer)
    case .cancelled: .cancelled
    }
  }
}

extension Result {
  package init(catching body: () async throws(Failure) -> Success) async {
    do throws(Failure) {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
