// SPDX-License-Identifier: MIT

package import Foundation

/// A temporary home for the real program.
package final class Home: Sendable {
  private let scratch: Scratch

  package init() throws {
    scratch = try Scratch()
  }

  package var folder: URL { scratch.url }
  package var credentials: URL { folder.appending(path: ".local/state/oppi/credentials.json") }
  package var servers: URL { folder.appending(path: ".config/oppi/servers.json") }
  package var cache: URL { folder.appending(path: ".cache/oppi/workspaces.json") }

  /// Runs `oppi` without this process's environment.
  package func oppi(
    _ arguments: String...,
    input: String? = nil,
    environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await oppi(arguments, input: input, environment: environment)
  }

  package func oppi(
    _ arguments: [String],
    input: String? = nil,
    environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await run([Executable.oppi] + arguments, input: input, environment: environment)
  }

  /// Runs a shell script with `oppi` in PATH.
  package func shell(
    _ script: String,
    shell: String = "/bin/sh",
    environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await run([shell, "-c", script], environment: environment)
  }

  /// A shell command that waits until a condition holds, for at most one minute.
  ///
  /// The body must leave the machine to others for a while. After the minute the script continues,
  /// so that it ends the programs that it started.
  package static func until(_ condition: String, meanwhile body: String = "sleep 0.02") -> String {
    let isOver = #"[ "$(date +%s)" -gt "$end" ]"#
    return "{ end=$(($(date +%s) + 60)); until \(condition) || \(isOver); do \(body); done; }"
  }

  package func run(
    _ words: [String],
    input: String? = nil,
    environment: [String: String] = [:]
  ) async throws -> Outcome {
    let variables = variables(["COLUMNS": "80"].merging(environment) { $1 })
    return try await Executable.run(words, input: input, environment: variables, in: folder)
  }

  /// The environment of this home's programs, without this process's environment.
  package func variables(_ more: [String: String]) -> [String: String] {
    let variables = [
      "HOME": folder.path, "TZ": "UTC", "LC_ALL": "C.UTF-8",
      "PATH": "\(Executable.products):/usr/local/bin:/usr/bin:/bin",
      "SWIFT_BACKTRACE": "enable=no",
    ]
    return variables.merging(Executable.inherited) { own, _ in own }.merging(more) { $1 }
  }

  /// Writes a file and its parent folders; returns the file's path.
  @discardableResult
  package func write(_ text: String, to name: String, isExecutable: Bool = false) throws -> String {
    try scratch.write(text, to: name, mode: isExecutable ? 0o755 : 0o644)
  }

  /// The text of all files in the home except the credentials.
  package func textOfOtherFiles() throws -> String {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return paths.filter { !$0.hasSuffix("credentials.json") }
      .compactMap(scratch.read)
      .joined()
  }
}
