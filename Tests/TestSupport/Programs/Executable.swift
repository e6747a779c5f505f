// SPDX-License-Identifier: MIT

package import Foundation

/// The programs that tests run, mainly `oppi`.
package enum Executable {
  /// The time limit of a program; a program that exceeds it is killed and has status 137.
  package static let limit = Duration.seconds(90)

  /// The folder of the build products, which also contains the test bundle.
  package static let products: String = {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(filePath: bundle).deletingLastPathComponent().path
  }()

  package static let oppi = "\(products)/oppi"

  /// The variables of this process that its programs get: the sanitizer options of a sanitized test
  /// run, whose reports must not be lost, and the number of a planted fault.
  static let inherited = ProcessInfo.processInfo.environment.filter {
    ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "PLANTED_FAULT"].contains($0.key)
  }

  /// A test runs a program, but its suite lacks ``FewAtOnce``.
  struct SuiteLacksFewAtOnce: Error {}

  /// Runs a program with its output in files, because a full pipe would block it.
  package static func run(
    _ words: [String],
    input: String? = nil,
    environment: [String: String],
    in folder: URL,
    within limit: Duration = limit
  ) async throws -> Outcome {
    guard FewAtOnce.isInside else { throw SuiteLacksFewAtOnce() }
    let id = UUID().uuidString
    let files = ["in", "out", "err"].map { folder.appending(path: ".\(id).\($0)") }
    try Data((input ?? "").utf8).write(to: files[0])
    for file in files[1...] { try Data().write(to: file) }
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    let process = Process()
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    process.environment = environment.merging(inherited) { own, _ in own }
    process.currentDirectoryURL = folder
    let input = try FileHandle(forReadingFrom: files[0])
    let output = try FileHandle(forWritingTo: files[1])
    let errors = try FileHandle(forWritingTo: files[2])
    defer { for handle in [input, output, errors] { try? handle.close() } }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    let status = try await process.statusInTime(limit)
    return Outcome(
      output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self),
      status: status
    )
  }
}
