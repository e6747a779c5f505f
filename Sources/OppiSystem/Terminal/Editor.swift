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
    /// This program was asked to end, and so the editor was; what it has left is kept there, `nil`
    /// where that is nothing.
    case cutOff(keptAt: String?)
  }

  /// A longer text was not written by hand.
  private static let sizeLimit = 16 << 20

  /// Runs the editor in the foreground of the terminal, which must have its usual modes, while the
  /// loop goes on; returns what it has left, without the line break at the end of the file.
  ///
  /// Nothing else may use the terminal meanwhile. When the task is cancelled, the editor is asked to
  /// end: unlike git, whose editor lives on in a file that stays, this program takes its file away, and
  /// the shell that takes the terminal back would read the same keys as the editor.
  ///
  /// `VISUAL`, else `EDITOR`, is the shell command to which the file is added; without them it is
  /// `editor`, or `vi`. Only the user can read the file, whose name tells editors what it holds.
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
    let edited = try contents(of: path)
    let end = edited.last == UInt8(ascii: "\n") ? edited.count - 1 : edited.count
    return String(decoding: edited[..<end], as: UTF8.self)
  }

  /// Whether an editor that was cut off has left what its user may want: another text, or a copy
  /// beside it, as editors make where they could not ask.
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
  ///
  /// - Returns: Its status; `nil` where the task was cancelled, and so the editor cut off.
  private static func run(
    _ command: String,
    on path: String,
    _ loop: EventLoop
  ) async throws(Failure) -> Int32? {
    let loan = TerminalLoan(descriptor: StandardStream.input.descriptor)
    var wasCutOff = false
    defer { loan.end(wasCutOff: wasCutOff) }
    do throws(SystemError) {
      let child = RunningChild(id: try spawn(["sh", "-c", "\(command) \"$1\"", command, path]))
      do {
        let end = try ProcessEnd(of: child)
        _ = try await loop.wait(for: [.readable(end.descriptor)], until: nil)
        return child.reap()
      } catch {
        wasCutOff = true
        await child.askToEnd(on: loop)
        kill(child.id, SIGKILL)
        _ = child.reap()
        if let error = error as? SystemError { throw error }
        return nil
      }
    } catch {
      throw .cannotStart(error)
    }
  }

  private static func spawn(_ words: [String]) throws(SystemError) -> pid_t {
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
    guard status == 0 else { throw SystemError("posix_spawn", code: status) }
    return process
  }
}
