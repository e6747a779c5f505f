// swift-tools-version: 6.2

import PackageDescription

/// Every upcoming feature of the language, for all targets alike.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// Fixtures and snapshots are found beside the tests' own source files.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name,
    dependencies: dependencies,
    exclude: excluded[name, default: []],
    swiftSettings: settings
  )
}

let excluded: [String: [String]] = [
  "OppiModelTests": ["Fixtures"],
  "ActivityTests": ["Fixtures", "Snapshots"],
  "OppiCommandsTests": ["Snapshots"],
  "Interop": ["server.py"],
]

let package = Package(
  name: "oppi",
  products: [.executable(name: "oppi", targets: ["oppi"])],
  targets: [
    // Pure: no file, socket, clock, environment or randomness.
    library("CommandTable"),
    library("WebSocketCodec"),
    library("HTTPCodec"),
    library("OppiModel"),
    library("OppiRendering", ["OppiModel"]),

    // The world.
    library("EventLoop"),
    library("OppiTransport", ["EventLoop", "OppiModel", "HTTPCodec", "WebSocketCodec"]),
    library("OppiSystem", ["EventLoop", "OppiModel"]),
    library(
      "OppiIntents",
      ["EventLoop", "OppiModel", "OppiTransport", "OppiSystem", "HTTPCodec", "WebSocketCodec"]
    ),
    library(
      "LoopbackServer",
      ["EventLoop", "OppiModel", "OppiTransport", "HTTPCodec", "WebSocketCodec"]
    ),
    library(
      "OppiCommands",
      [
        "CommandTable", "EventLoop", "OppiModel", "OppiRendering", "OppiTransport", "OppiSystem",
        "OppiIntents", "LoopbackServer",
      ]
    ),
    .executableTarget(
      name: "oppi",
      dependencies: ["OppiCommands", "OppiSystem"],
      swiftSettings: settings
    ),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    tests("CommandTableTests", ["CommandTable"]),
    tests("WebSocketCodecTests", ["WebSocketCodec"]),
    tests("HTTPCodecTests", ["HTTPCodec"]),
    tests("OppiModelTests", ["OppiModel"]),
    tests("OppiRenderingTests", ["OppiRendering", "OppiModel"]),
    tests("ActivityTests", ["OppiRendering", "OppiModel"]),
    tests("TerminalTests", ["EventLoop", "OppiRendering", "OppiSystem", "OppiModel"]),
    tests(
      "OppiTransportTests",
      ["OppiTransport", "OppiModel", "HTTPCodec", "WebSocketCodec", "LoopbackServer"]
    ),
    tests("OppiSystemTests", ["OppiSystem", "OppiModel", "OppiTransport"]),
    tests(
      "LoopbackServerTests",
      ["LoopbackServer", "OppiModel", "OppiTransport", "HTTPCodec", "WebSocketCodec"]
    ),
    tests(
      "OppiIntentsTests",
      ["OppiIntents", "OppiModel", "OppiSystem", "OppiTransport", "HTTPCodec", "LoopbackServer"]
    ),
    tests(
      "OppiCommandsTests",
      [
        "OppiCommands", "CommandTable", "OppiModel", "OppiRendering", "OppiTransport", "OppiSystem",
        "OppiIntents", "HTTPCodec", "WebSocketCodec",
      ]
    ),
    tests(
      "EndToEndTests",
      [
        "oppi", "TestSupport", "LoopbackServer", "OppiModel", "OppiTransport", "HTTPCodec",
        "WebSocketCodec",
      ]
    ),
    tests("Interop", ["oppi", "TestSupport"]),
  ]
)
