// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import OppiModel
import TestSupport
import Testing

/// A home in which the examples find what they need.
extension ExamplesTests {
  /// Where the program is below the home folder.
  static let program = ".local/bin/oppi"
  /// Where the examples have it.
  static let placeholder = "/usr/local/bin/oppi"
  static let folder = URL.package.appending(path: "Examples")

  /// The paths of all files below the folder.
  static let files: [String] = {
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    return paths.sorted().filter { path in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(
        atPath: folder.appending(path: path).path,
        isDirectory: &isFolder
      )
      return !isFolder.boolValue
    }
  }()

  /// The names of the examples.
  static let names = Set(files.compactMap { $0.split(separator: "/").first.map(String.init) })
    .sorted()

  /// The text of an example's file, as it is.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: folder.appending(path: path), encoding: .utf8)
  }

  /// The text of an example's file that calls the program under test.
  static func example(_ path: String) throws -> String {
    try text(path).replacing(placeholder, with: Executable.oppi)
  }

  /// The lines of a README that are typed.
  static func typed(_ name: String) throws -> [String] {
    try text("\(name)/README.md").split(separator: "\n").filter { $0.hasPrefix("    ") }
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The command lines by which a README has shortcuts made.
  static func shortcuts(of name: String) throws -> [String] {
    try typed(name).compactMap { line in
      line.firstRange(of: "oppi shortcuts add").map { String(line[$0.lowerBound...]) }
    }
  }

  /// A home that is paired with a server whose workspaces have the examples' names, and has the
  /// shortcuts of one.
  static func start(_ name: String? = nil, in home: Home) async throws -> RunningServer {
    let server = try await Line.multiplexedHTTP.start { $0.workspaces[0].name = "api" }
    let pairing = try await home.oppi("pair", "-", input: server.makeInvite().json)
    try #require(pairing.status == 0, "\(pairing)")
    _ = try await home.oppi("workspaces")
    try install(in: home)
    for line in try name.map(shortcuts) ?? [] {
      let outcome = try await home.shell(line)
      try #require(outcome.status == 0, "\(line)\n\(outcome)")
    }
    return server
  }

  /// Puts the program where README says.
  static func install(in home: Home) throws {
    let place = home.folder.appending(path: program)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try FileManager.default.createSymbolicLink(
      at: place,
      withDestinationURL: URL(filePath: Executable.oppi)
    )
  }

  /// Puts a script of an example where it is installed, or to another path of the home.
  @discardableResult
  static func install(_ path: String, to place: String? = nil, in home: Home) throws -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return try home.write(example(path), to: place ?? ".local/bin/\(name)", isExecutable: true)
  }
}
