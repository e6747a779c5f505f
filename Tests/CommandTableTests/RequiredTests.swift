// SPDX-License-Identifier: MIT

import CommandTable
import Testing

@Suite struct RequiredTests {
  private struct Options: Sendable, Equatable {
    @Required var track: Int
    var isLoud = false
    var limit = 3
    var others: [String] = []
  }

  private let command = CommandSpec<Void, Options>(
    "play",
    "Play a track",
    options: Options(),
    arguments: [
      .flag("loud", \.isLoud, "Play it loud"),
      .option("limit", \.limit, "Stop after N"),
      .positional("track", \.$track, "The track's number"),
      .positional("other", \.others, "More tracks"),
    ],
    validate: { (options) throws(UsageError) in
      if options.limit == 0 { throw UsageError(.custom("--limit expects 1 or more")) }
    },
    run: { options, _ in options }
  )

  private func played(_ words: String...) async throws -> Options {
    let tool = CommandLineTool(
      name: "tool",
      version: "1",
      summary: "Test",
      globals: false,
      globalArguments: [],
      commands: [command]
    )
    guard case .run(_, _, let work) = try tool.parse(["play"] + words) else {
      throw UsageError(.custom("nothing to run"))
    }
    return try await work(())
  }

  @Test("the first positional word is the value of the required argument, before or after options")
  func first() async throws {
    let options = try await played("--loud", "7", "--limit=2", "8", "9")
    #expect(options.track == 7)
    #expect(options.isLoud && options.limit == 2 && options.others == ["8", "9"])
  }

  @Test("a line without the required argument is rejected")
  func missing() async {
    let error = await #expect(throws: UsageError.self) { try await played("--loud") }
    #expect(error?.kind == .missingPositional("TRACK"))
  }

  @Test("a value of the wrong type is rejected with its placeholder")
  func wrongType() async {
    let error = await #expect(throws: UsageError.self) { try await played("seven") }
    #expect(error?.message.hasPrefix("TRACK ") == true)
  }

  @Test("the other options are validated")
  func validation() async {
    let error = await #expect(throws: UsageError.self) { try await played("7", "--limit", "0") }
    #expect(error?.message == "--limit expects 1 or more")
  }

  @Test("help shows the required argument before the other positional arguments")
  func order() {
    #expect(command.positionals.map(\.placeholder) == ["TRACK", "OTHER"])
    #expect(command.positionals.map(\.isRequired) == [true, false])
    #expect(command.options.first { $0.name == "limit" }?.defaultText == "3")
  }
}
