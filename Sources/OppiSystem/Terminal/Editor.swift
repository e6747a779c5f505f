// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// The user's own editor, for one text.
package enum Editor {
  /// Why there is no edited text.
  package enum Failure: Error {
    case cannotStart(SystemError)
    /// It ended with this status (128 and the number where by a signal), as editors do when the
    /// text is not to be taken.
    case gaveUp(command: String, status: Int32)
    case file(FileError)
  }

  /// A longer text was not written by hand.
  private static let sizeLimit = 16 << 20

  /// Runs the editor in the foreground of the terminal, which must have its usual modes, and
  /// returns what it has left, without the line break at the end of the file.
  ///
  /// `VISUAL`, else `EDITOR`, is the shell command to which the file is added; without them it is
  /// `editor`, or `vi`. Only the user can read the file, whose name tells editors what it holds.
  package static func edit(
    _ text: String,
    as fileName: String = "message.md",
    environment: [String: String]
  ) throws(Failure) -> String {
    let command = command(environment)
    let folder: TemporaryFolder
    do {
      folder = try TemporaryFolder(named: "oppi", environment: environment)
    } catch {
      throw .file(error)
    }
    defer { folder.remove() }
    let path = folder.path + "/" + fileName
    do throws(SystemError) {
      try SystemDisk().open(path, for: .creating(for: .owner)).write(Array(text.utf8))
    } catch {
      throw .file(.cannotWrite(path: path, error))
    }
    let status = try run(command, on: path)
    guard status == 0 else { throw .gaveUp(command: command, status: status) }
    let edited = try contents(of: path)
    let end = edited.last == UInt8(ascii: "\n") ? edited.count - 1 : edited.count
    return String(decoding: edited[..<end], as: UTF8.self)
  }

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

  /// Runs the command in this program's own job, so that Ctrl-Z stops both.
  private static func run(_ command: String, on path: String) throws(Failure) -> Int32 {
    // What the keys of the terminal say while the editor has it is for the editor alone.
    let keySignals = SignalSet([SIGINT, SIGQUIT])
    return try keySignals.whileBlocked { () throws(Failure) in
      try SignalSet([SIGTSTP]).whileUnblocked { () throws(Failure) in
        let process = try spawn(["sh", "-c", "\(command) \"$1\"", command, path])
        defer {
          keySignals.discardPending()
          SignalSet([SIGCONT]).discardPending()
        }
        return wait(for: process)
      }
    }
  }

  private static func spawn(_ words: [String]) throws(Failure) -> pid_t {
    // Where this program was started with SIGCHLD ignored, the kernel would throw the status away.
    signal(SIGCHLD, SIG_DFL)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    Program.setFreshSignals(&attributes, flags: 0)
    var process = pid_t()
    let status = Program.withWords(words) { words in
      posix_spawn(&process, "/bin/sh", nil, &attributes, words, environ)
    }
    guard status == 0 else {
      throw .cannotStart(SystemError("posix_spawn", code: status))
    }
    return process
  }

  private static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}
