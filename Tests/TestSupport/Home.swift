// SPDX-License-Identifier: MIT

package import Foundation

/// The real program in a home of its own.
package final class Home: Sendable {
  package let folder: URL

  package init() throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "oppi-test-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  package var credentials: URL { folder.appending(path: ".local/state/oppi/credentials.json") }
  package var servers: URL { folder.appending(path: ".config/oppi/servers.json") }
  package var cache: URL { folder.appending(path: ".cache/oppi/workspaces.json") }

  /// Runs `oppi` to its end with nothing of this process's environment.
  package func oppi(
    _ arguments: String...,
    input: String? = nil,
    environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await run([Program.path] + arguments, input: input, environment: environment)
  }

  /// Runs a shell script in which `oppi` is on the path.
  package func shell(
    _ script: String,
    shell: String = "/bin/sh",
    environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await run([shell, "-c", script], input: nil, environment: environment)
  }

  package func run(
    _ words: [String],
    input: String?,
    environment: [String: String]
  ) async throws -> Outcome {
    var variables = [
      "HOME": folder.path, "TZ": "UTC", "COLUMNS": "80", "LC_ALL": "C.UTF-8",
      "PATH": "\(Program.folder):/usr/local/bin:/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no",
    ]
    variables.merge(environment) { $1 }
    return try await Program.run(words, input: input, environment: variables, in: folder)
  }

  /// The whole text of all files below the home but the credentials.
  package func textOfOtherFiles() throws -> String {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return paths.filter { !$0.hasSuffix("credentials.json") }
      .compactMap { try? String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
      .joined()
  }
}
