// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import OppiText
import Synchronization

/// Runs the user's editor for one text.
package enum Editor {
  package enum Failure: Error, Equatable {
    case cannotStart(SystemError)
    /// The editor rejected the text with this status (128 plus the number of a signal).
    case gaveUp(command: String, status: Int32)
    case file(FileError)
    /// This program and the editor were asked to exit; `keptAt` is the folder with the editor's
    /// files, `nil` if there is nothing to keep.
    case cutOff(keptAt: String?)
  }

  /// In bytes; larger than a text written by hand.
  private static let sizeLimit = 16 << 20

  /// Runs the editor in the foreground of the terminal, which must have its usual modes, and
  /// returns the edited text without the line break at the end; the loop continues to run.
  ///
  /// Nothing else may use the terminal meanwhile. When the task is cancelled, the editor is asked
  /// to exit: this program removes its file, unlike git, and otherwise the shell and the editor
  /// would read the same keys.
  ///
  /// `VISUAL`, else `EDITOR`, is the shell command to which the file is appended; without them it
  /// is `editor`, or `vi`. Only the user can read the file, whose extension tells editors its type.
  package static func edit(
    _ text: String,
    as fileName: String = "message.md",
    environment: [String: String],
    on loop: EventLoop
  ) async throws(Failure) -> String {
    let command = command(environment)
    let folder: TemporaryFolder
    do {
      folder = try TemporaryFolder(named: "oppi", environment: environment)
    } catch {
      throw .file(error)
    }
    var isKept = false
    defer { if !isKept { folder.remove() } }
    let path = folder.path + "/" + fileName
    do throws(SystemError) {
      try SystemDisk().open(path, for: .creating(for: .owner)).write(Array(text.utf8))
    } catch {
      throw .file(.cannotWrite(path: path, error))
    }
    guard let status = try await run(command, on: path, loop) else {
      isKept = hasWork(in: folder, besides: text, in: fileName)
      throw .cutOff(keptAt: isKept ? folder.path : nil)
    }
    guard status == 0 else { throw .gaveUp(command: command, status: status) }
    // A text that cannot be read stays: the error names its file.
    isKept = true
    let edited = try contents(of: path)
    isKept = false
    let end = edited.last == UInt8(ascii: "\n") ? edited.count - 1 : edited.count
    return String(decoding: edited[..<end], as: UTF8.self)
  }

  /// Whether an interrupted editor left a changed text, or another file such as a backup copy.
  private static func hasWork(
    in folder: TemporaryFolder,
    besides text: String,
    in fileName: String
  ) -> Bool {
    do {
      return try SystemDisk().names(in: folder.path) != [fileName]
        || contents(of: folder.path + "/" + fileName) != Array(text.utf8)
    } catch {
      return true
    }
  }

  /// Reads the file whatever owner and mode it or its folder seems to have: some file systems have
  /// neither.
  private static func contents(of path: String) throws(Failure) -> [UInt8] {
    do throws(SystemError) {
      let file = try SystemDisk().open(path, for: .reading)
      var bytes: [UInt8] = []
      while bytes.count <= sizeLimit {
        let chunk = try file.read(atMost: 65_536)
        if chunk.isEmpty { return bytes }
        bytes += chunk
      }
    } catch {
      // An editor may have removed the file of an empty text.
      if error.isAbsence { return [] }
      throw .file(.cannotRead(path: path, error))
    }
    throw .file(.tooLarge(path: path, limit: sizeLimit))
  }

  private static func command(_ environment: [String: String]) -> String {
    let named = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    if let named { return named }
    return Program.find("editor", path: environment["PATH"] ?? "") == nil ? "vi" : "editor"
  }

  /// Runs the command in this program's process group, so that Ctrl-Z stops both.
  ///
  /// - Returns: The exit status; `nil` if the task was cancelled and the editor interrupted.
  private static func run(
    _ command: String,
    on path: String,
    _ loop: EventLoop
  ) async throws(Failure) -> Int32? {
    var process = ChildProcess(arguments: ["/bin/sh", "-c", "\(command) \"$1\"", command, path])
    process.inheritsInput = true
    process.output = .inherited
    process.takesTerminal = true
    do {
      return try await process.run(on: loop, until: loop.now + ChildProcess.noLimit).status
    } catch .cannotStart(let cause) {
      throw .cannotStart(cause)
    } catch {
      return nil
    }
  }
}

/// The program that shows long text on the terminal, chosen as by git.
package struct Pager: Sendable {
  /// Characters that only a shell understands.
  private static let shellCharacters = "|&;<>()$`*?[#~=%!{}\\\"'\n"
  /// The exit statuses of a shell that cannot start a program.
  private static let unstarted: Set<Int32> = [126, 127]

  let arguments: [String]
  let environment: [String: String]

  /// `PAGER` is the command, by default `less`; `nil` if it is empty or `cat`, if the program does
  /// not exist, or on a terminal that cannot be drawn on.
  package init?(environment: [String: String], programs: any ProgramAccess) {
    let command = (environment["PAGER"] ?? "less").trimmed
    guard !["", "cat"].contains(command), !["", "dumb"].contains(environment["TERM"] ?? "") else {
      return nil
    }
    if command.contains(where: Self.shellCharacters.contains) {
      arguments = ["/bin/sh", "-c", command]
    } else {
      arguments = command.split(separator: " ").map(String.init)
      guard programs.has(arguments[0]) else { return nil }
    }
    // Quits for a text that fits the screen, keeps colours and does not clear the screen.
    self.environment = ["LESS": "FRX", "LV": "-c"].merging(environment) { $1 }
  }

  /// Shows a text until the user has read enough; false if the program could not be started.
  package func show(_ text: String, by programs: any ProgramAccess, on loop: EventLoop) async
    -> Bool
  {
    var process = ChildProcess(arguments: arguments)
    process.environment = environment
    process.input = Array(text.utf8)
    process.output = .inherited
    process.takesTerminal = true
    do {
      let outcome = try await programs.run(
        process,
        on: loop,
        until: loop.now + ChildProcess.noLimit
      )
      return !Self.unstarted.contains(outcome.status)
    } catch .cannotStart {
      return false
    } catch {
      return true
    }
  }
}

/// Lends this program's terminal to another program of the same job, such as an editor.
///
/// Key signals affect only that program, as in git and system(3), except Ctrl-Z, which stops both.
/// Signals that ask for the exit still affect this program.
final class TerminalLoan: Sendable {
  private static let keys = SignalSet([SIGINT, SIGQUIT])
  private static let all = SignalSet([SIGINT, SIGQUIT, SIGTSTP])
  private static let count = Mutex(0)

  static var isLent: Bool { count.withLock { $0 > 0 } }

  /// The signals that were blocked before.
  private let blocked: SignalSet
  private let descriptor: Int32
  private let modes: termios?

  /// Lends the terminal; must be ended on the same thread.
  init(descriptor: Int32) {
    self.descriptor = descriptor
    var modes = termios()
    self.modes = tcgetattr(descriptor, &modes) == 0 ? modes : nil
    blocked = Self.all.blocked
    Self.count.withLock { $0 += 1 }
    Self.keys.block()
    SignalSet([SIGTSTP]).unblock()
  }

  /// Takes the terminal back from a program that has exited.
  ///
  /// - Parameter wasCutOff: Whether the program was interrupted, and may have left the terminal in
  ///   modes of its own.
  func end(wasCutOff: Bool) {
    Self.keys.discardPending()
    SignalSet([SIGCONT]).discardPending()
    blocked.block()
    Self.all.subtracting(blocked).unblock()
    Self.count.withLock { $0 -= 1 }
    // From the background, this would stop the program.
    guard wasCutOff, var modes, Terminal.isInForeground(descriptor) else { return }
    tcsetattr(descriptor, TCSADRAIN, &modes)
  }
}
