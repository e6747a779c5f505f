// SPDX-License-Identifier: MIT

import CommandTable

/// A choice whose values are all listed in help.
enum SampleColor: String, CaseIterable, ArgumentValue {
  case auto
  case always
  case never
}

/// A choice with a value that is accepted but not listed in help.
enum SampleLevel: String, CaseIterable, ArgumentValue {
  case minimal
  case low
  case medium
  case high

  static let choices = ["low", "medium", "high"]
}

/// An identifier, which may begin with a hyphen.
struct SampleID: ArgumentValue, Equatable {
  static let placeholder = "ID"
  static let isIdentifier = true

  let text: String

  init(argument: String) throws(ArgumentValueError) {
    guard !argument.isEmpty else { throw ArgumentValueError("expects an id") }
    text = argument
  }
}

struct SampleGlobals: Sendable, Equatable {
  var json = false
  var quiet = false
  var verbose = false
  var color = SampleColor.auto
  var timeout = Duration.seconds(10)
}

struct AskOptions: Sendable, Equatable {
  var workspaces: [String] = []
  var model: String?
  var level = SampleLevel.medium
  var session: SampleID?
  var file: String?
  var wait = false
  var follow = false
  var dryRun = false
  var key: String?
  var prompt: [String] = []
}

struct SessionsOptions: Sendable, Equatable {
  var limit = 30
  var all = false
  var workspace: String?
}

struct StopOptions: Sendable, Equatable {
  var session = false
  @Required var id: SampleID
}

struct ServersOptions: Sendable, Equatable {
  var offline = false
}

struct RenameOptions: Sendable, Equatable {
  var name = ""
  var newName = "home"
}

struct ScheduleOptions: Sendable, Equatable {
  var name = ""
  var times: [String] = []
}

struct CompletionsOptions: Sendable, Equatable {
  var shell: SampleColor?
  var folder: String?
}

struct CompleteOptions: Sendable, Equatable {
  var words: [String] = []
}
