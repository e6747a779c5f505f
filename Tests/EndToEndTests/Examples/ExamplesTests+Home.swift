// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiWire
import TestSupport
import Testing

/// A home with the program, a server and the shortcuts of an example.
extension ExamplesTests {
  /// The path of the installed program in the home.
  static let program = ".local/bin/oppi"
  /// The program's path in the example files.
  static let placeholder = "/usr/local/bin/oppi"
  static let folder = URL.package.appending(path: "Examples")

  /// The paths of all example files, relative to the folder.
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

  /// The example folders, sorted.
  static let names = Set(files.compactMap { $0.split(separator: "/").first.map(String.init) })
    .sorted()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: folder.appending(path: path), encoding: .utf8)
  }

  /// The text of an example file, with the path of the program under test.
  static func example(_ path: String) throws -> String {
    try text(path).replacing(placeholder, with: Executable.oppi)
  }

  /// The commands of a README, which are indented by four spaces.
  static func typed(_ name: String) throws -> [String] {
    try text("\(name)/README.md").split(separator: "\n").filter { $0.hasPrefix("    ") }
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The `oppi shortcuts add` command lines of a README.
  static func shortcuts(of name: String) throws -> [String] {
    try typed(name).compactMap { line in
      line.firstRange(of: "oppi shortcuts add").map { String(line[$0.lowerBound...]) }
    }
  }

  /// A new home that is paired with a server with the workspace `api`, and has the shortcuts of an
  /// example.
  static func start(_ name: String? = nil) async throws -> (Home, RunningServer) {
    let (home, server) = try await Home.paired { $0.workspaces[0].name = "api" }
    _ = try await home.oppi("workspaces")
    try install(in: home)
    for line in try name.map(shortcuts) ?? [] {
      let outcome = try await home.shell(line)
      try #require(outcome.status == 0, "\(line)\n\(outcome)")
    }
    return (home, server)
  }

  /// Links the program to the path that the README names.
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

  /// Installs a script of an example to `.local/bin` or to another path of the home.
  @discardableResult
  static func install(_ path: String, to place: String? = nil, in home: Home) throws -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return try home.write(example(path), to: place ?? ".local/bin/\(name)", isExecutable: true)
  }
}
