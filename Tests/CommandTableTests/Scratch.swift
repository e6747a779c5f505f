// SPDX-License-Identifier: MIT

import Foundation

/// A program of this machine.
struct Program {
  let url: URL

  /// Finds a program by its name; nil where it is not installed.
  init?(_ name: String) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let candidates = folders.map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
    guard
      let url = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
    else { return nil }
    self.url = url
  }
}

/// A folder of its own in which a test runs programs; removed with the value.
final class Scratch {
  /// What a program left behind.
  struct Result {
    let status: Int32
    let output: String
    let errors: String

    /// Everything at once, so that a failing expectation shows it all.
    var transcript: String { output + errors + "[exit \(status)]" }
  }

  struct MissingProgram: Error { let name: String }

  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("command-table-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

  func write(_ text: String, to name: String, isExecutable: Bool = false) throws {
    let file = url(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: file)
    if isExecutable {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
  }

  func read(_ name: String) -> String? {
    (try? Data(contentsOf: url(name))).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Runs a program in the folder with an environment that depends on nothing but `PATH`.
  ///
  /// The folder's own programs, in `bin`, come first. Streams are files, which cannot fill up.
  func run(_ name: String, _ arguments: [String], input: String = "") async throws -> Result {
    guard let program = Program(name) else { throw MissingProgram(name: name) }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    try write(input, to: "stdin")
    try write("", to: "stdout")
    try write("", to: "stderr")

    let process = Process()
    process.executableURL = program.url
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = [
      "PATH": "\(url("bin").path):\(path)", "HOME": folder.path, "LANG": "C.UTF-8",
      "TERM": "xterm", "ZDOTDIR": folder.path,
    ]
    process.standardInput = try FileHandle(forReadingFrom: url("stdin"))
    process.standardOutput = try FileHandle(forWritingTo: url("stdout"))
    process.standardError = try FileHandle(forWritingTo: url("stderr"))
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do { try process.run() } catch { ended.resume(throwing: error) }
    }
    return Result(
      status: process.terminationStatus,
      output: read("stdout") ?? "",
      errors: read("stderr") ?? ""
    )
  }
}
