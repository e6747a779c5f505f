// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiModel
import TestSupport
import Testing

@testable import Oppi

/// The workspace of the working directory.
@Suite struct DirectorySettingsTests {
  private let bench: CommandBench

  init() throws {
    bench = try CommandBench()
  }

  private var file: String { "\(bench.homeFolder)/.config/oppi/config.json" }

  /// The variables of a user in a folder below the home folder.
  private func here(_ folder: String, _ more: [String: String] = [:]) -> [String: String] {
    more.merging(["PWD": "\(bench.homeFolder)/\(folder)"]) { given, _ in given }
  }

  @discardableResult
  private func run(
    _ words: String...,
    in folder: String = "src/api",
    with more: [String: String] = [:]
  ) throws -> Outcome {
    try bench.run(words, environment: here(folder, more))
  }

  /// The target of an ask without -w.
  private func target(in folder: String, _ more: [String: String] = [:]) throws -> String? {
    let plan = try run("ask", "-n", "hi", in: folder, with: more)
    return plan.outputLines.first?.split(separator: "\t").last.map(String.init)
  }

  private func write(_ text: String) throws {
    try #require(try bench.run(["config", "set", "model", "x"]).status == 0)
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }

  @Test("a folder's workspace applies in it and below it, but not beside it")
  func holds() throws {
    let outcome = try run("config", "here", "webapp")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.errors == "set directories.\"~/src/api\" in \(file)\n", "\(outcome)")
    for folder in ["src/api", "src/api/deep/er"] {
      #expect(try target(in: folder) == "studio/webapp")
    }
    let beside = try run("ask", "-n", "hi", in: "src/api2")
    #expect(beside.status == 64 && beside.errors.contains("no workspace given"), "\(beside)")
  }

  @Test("the order is: option, variable, nearest folder, global setting")
  func order() throws {
    try run("config", "set", "workspace", "demo")
    try run("config", "here", "webapp")
    #expect(try target(in: "src/api") == "studio/webapp")
    #expect(try target(in: "src") == "studio/demo")
    #expect(try target(in: "src/api", ["OPPI_WORKSPACE": "demo"]) == "studio/demo")
    let named = try run("ask", "-n", "-w", "demo", "hi")
    #expect(named.output.hasPrefix("to\tstudio/demo\n"), "\(named)")
    try run("config", "here", "demo", in: "src/api/old")
    #expect(try target(in: "src/api/old/x") == "studio/demo")
  }

  @Test("a new interactive session uses the default workspace of ask before the last one")
  func new() throws {
    try #require(try run("ask", "-q", "-w", "demo", "hi").status == 0)
    try run("config", "here", "webapp")
    #expect(try run("new", "--print-target").output.contains("webapp01"))
    #expect(try run("new", "--print-target", in: "src").output.contains("demo0001"))
    #expect(try run("new", "--print-target", "-w", "demo").output.contains("demo0001"))
    let variables = ["OPPI_WORKSPACE": "demo"]
    #expect(try run("new", "--print-target", with: variables).output.contains("demo0001"))
    try run("config", "set", "workspace", "webapp")
    #expect(try run("new", "--print-target", in: "src").output.contains("webapp01"))
  }

  @Test("the effective workspace is shown with its source")
  func shows() throws {
    let nothing = try run("config", "here")
    #expect(nothing.status == 66, "\(nothing)")
    #expect(nothing.errors.contains("set one with: oppi config here WORKSPACE"), "\(nothing)")
    try run("config", "set", "workspace", "demo")
    #expect(try run("config", "here").output == "demo\t'workspace' in \(file)\n")
    try run("config", "here", "studio/webapp")
    let entry = "directories.\"~/src/api\" in \(file)"
    #expect(try run("config", "here", in: "src/api/x").output == "studio/webapp\t\(entry)\n")
    let variables = ["OPPI_WORKSPACE": "other"]
    #expect(try run("config", "here", with: variables).output == "other\t$OPPI_WORKSPACE\n")
  }

  @Test("setting or unsetting an ineffective workspace reports the effective workspace")
  func overshadowed() throws {
    try run("config", "here", "webapp", in: "src")
    let set = try run("config", "here", "demo", with: ["OPPI_WORKSPACE": "other"])
    #expect(set.errors.contains("the default here is other, from $OPPI_WORKSPACE"), "\(set)")
    let unset = try run("config", "here", "--unset")
    #expect(
      unset.errors.contains("the default here is webapp, from directories.\"~/src\" in"),
      "\(unset)"
    )
    #expect(try target(in: "src/api") == "studio/webapp")
    // Unsetting a missing entry succeeds.
    #expect(try run("config", "here", "--unset").status == 0)
    #expect(try run("config", "here", "", in: "src").status == 0)
    #expect(try run("config", "here").status == 66)
  }

  @Test("the existing entry of a folder is changed, however it is written")
  func sameFolder() throws {
    try write("{directories: {'\(bench.homeFolder)/src//api/': 'demo'}} // mine")
    try run("config", "here", "webapp")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.hasPrefix("{directories: {'\(bench.homeFolder)/src//api/': \"webapp\""), "\(text)")
  }

  @Test(
    "an unknown name is reported with the folder's entry",
    arguments: [["ask", "hi"], ["new", "--print-target"]]
  )
  func source(words: [String]) throws {
    try write("{directories: {'~/src/api': 'nix'}}")
    let outcome = try bench.run(words, environment: here("src/api"))
    #expect(outcome.status == 66, "\(outcome)")
    let line = "oppi: no workspace 'nix' (from directories.\"~/src/api\" in \(file))\n"
    #expect(outcome.errors.hasPrefix(line), "\(outcome)")
  }

  @Test(
    "an invalid entry is reported with its file, in any folder",
    arguments: [
      ("{directories: {'src/api': 'demo'}}", "directories.\"src/api\" in FILE expects a path"),
      (
        "{directories: {'~/a': 7}}",
        "directories.\"~/a\" in FILE is a number; expected a quoted string"
      ),
      ("{directories: 'x'}", "'directories' in FILE is a string; expected an object"),
      ("{directories: {'~/a': 'x', '~/a/': 'y'}}", "directories.\"~/a/\" in FILE is the same"),
    ]
  )
  func unusable(text: String, message: String) throws {
    try write(text)
    for words in [["ask", "hi"], ["new", "--print-target"], ["config", "here"], ["config"]] {
      let outcome = try bench.run(words, environment: here("elsewhere"))
      #expect(outcome.status == 78, "\(words): \(outcome)")
      let line = "oppi: \(message.replacing("FILE", with: file))"
      #expect(outcome.errors.hasPrefix(line), "\(words): \(outcome)")
    }
    // A command with a named workspace does not need the entry.
    #expect(try bench.run(["ask", "-n", "-w", "demo", "hi"]).status == 0)
  }

  @Test("a working directory that no longer exists fails only its own setting")
  func gone() throws {
    try run("config", "here", "webapp", in: "")
    // No path is absolute, as in a removed folder.
    let variables = ["PWD": "gone"]
    let ask = try bench.run(["ask", "-n", "-w", "demo", "hi"], environment: variables)
    #expect(ask.status == 0, "\(ask)")
    #expect(try bench.run(["new", "--print-target"], environment: variables).status == 0)
    let here = try bench.run(["config", "here", "demo"], environment: variables)
    #expect(here.status == 66 && here.errors.contains("no longer exists"), "\(here)")
  }

  @Test("an unknown or ambiguous workspace name is rejected, and nothing is saved")
  func unseen() throws {
    for words in [["here", "later"], ["set", "workspace", "later"]] {
      let unseen = try bench.run(["config"] + words, environment: here("src/api"))
      #expect(unseen.status == 66 && unseen.errors.contains("no workspace 'later'"), "\(unseen)")
    }
    #expect(try run("config", "here").status == 66)
    let twice = try CommandBench { configuration in
      configuration.workspaces = ["a", "b"].map { Workspace(id: "same000\($0)", name: "same") }
    }
    try #require(try twice.run(["workspaces"]).status == 0)
    let refused = try twice.run(["config", "here", "same"])
    #expect(refused.status == 64 && refused.errors.contains("matches several workspaces"))
  }
}
