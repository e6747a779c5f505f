// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

/// The prompt and the pictures, from wherever the command line says.
enum AskInput {
  /// Servers take messages of at most 16 MiB, envelope and encoding included.
  static let sizeLimit = 15 << 20

  static func prompt(_ options: Ask.Options, in context: Context) async throws -> String {
    var prompt: String
    if options.file == "-" || options.prompt == ["-"] {
      prompt = try await Input.standardInput(on: context.loop, limit: sizeLimit)
    } else if let file = options.file {
      guard let bytes = try Input.file(file, limit: sizeLimit) else {
        throw OppiError(.noInput, "no such file: \(file.safeLine())")
      }
      prompt = String(decoding: bytes, as: UTF8.self)
    } else {
      prompt = options.prompt.joined(separator: " ")
    }
    // One line break at the end belongs to the file and not to the prompt.
    if prompt.hasSuffix("\r\n") || prompt.hasSuffix("\n") { prompt.removeLast() }
    guard !prompt.allSatisfy(\.isWhitespace) else {
      throw OppiError(.badInput, "the prompt is empty")
    }
    guard !prompt.utf8.contains(0) else {
      throw OppiError(.badInput, "the prompt has a NUL character in it")
    }
    guard prompt.utf8.count <= sizeLimit else {
      throw OppiError(.badInput, "the prompt is larger than \(sizeLimit >> 20) MiB")
    }
    return prompt
  }

  static func images(_ options: Ask.Options) throws -> [ImageAttachment] {
    let images = try options.images.map { path in
      guard let bytes = try Input.file(path, limit: sizeLimit) else {
        throw OppiError(.noInput, "no such file: \(path.safeLine())")
      }
      guard let image = ImageAttachment(data: bytes) else {
        throw OppiError(
          .badInput,
          "\(path.safeLine()) is not a picture that can be sent",
          hints: ["PNG, JPEG, GIF and WebP can"]
        )
      }
      return image
    }
    let encodedSize = images.reduce(0) { $0 + $1.data.count * 4 / 3 }
    guard encodedSize <= sizeLimit else {
      throw OppiError(.badInput, "the pictures are larger than a message may be (16 MiB encoded)")
    }
    return images
  }
}

/// Where a prompt is to go.
enum AskTargets {
  static func resolve(
    _ options: Ask.Options,
    in context: Context
  ) async throws -> [AskRequest.Target] {
    let servers = try context.servers()
    if let session = options.session {
      let resolver = SessionResolver(
        servers: servers,
        connections: context.connections,
        lastUsed: context.lastUsed.load()
      )
      return [.session(try await resolver.resolve(session.text))]
    }
    let resolver = WorkspaceResolver(servers: servers, query: context.workspaceQuery)
    var words: [String?] = options.workspaces
    if words.isEmpty { words = [try defaultWorkspace(in: context)] }
    var targets: [ServerWorkspace] = []
    for word in words {
      let target = try await resolver.resolve(word)
      // The same workspace by two names gets the prompt once.
      if !targets.contains(target) { targets.append(target) }
    }
    return targets.map { .newSession($0) }
  }

  private static func defaultWorkspace(in context: Context) throws -> String? {
    if let word = context.nonEmpty("OPPI_WORKSPACE") { return word }
    return try Config.load(in: context)[.workspace]
  }
}
