# dynagen_generate(): a library of generated C, made at build time. Found by find_package(dynagen), see examples/firmware:
#
#   dynagen_generate(<target> ROBOT <description or bundled robot>
#                    [FUNCTIONS <name>...] [REAL double|float] [OPTIONS <option of dynagen>...] [GOLDEN_TEST])
#
# makes <target>::<target>, whose header is <target>.h: every public name starts with <target>. It is generated, and proved, in
# the first build, and again only when the description, or dynagen itself, changes. GOLDEN_TEST adds the test <target>_golden.
if(CMAKE_VERSION VERSION_LESS 3.20)
  message(FATAL_ERROR "dynagen_generate() needs CMake 3.20 or newer, this is ${CMAKE_VERSION}")
endif()

find_program(DYNAGEN dynagen REQUIRED DOC "The generator of dynamics code")

function(dynagen_generate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "GOLDEN_TEST" "ROBOT;REAL" "FUNCTIONS;OPTIONS")
  if(NOT arg_ROBOT OR arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "dynagen_generate(${target}): expected ROBOT, and after it FUNCTIONS, REAL, OPTIONS, GOLDEN_TEST; "
                        "found ${ARGN}")
  endif()
  set(description)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${arg_ROBOT} OR IS_ABSOLUTE ${arg_ROBOT})
    get_filename_component(arg_ROBOT ${arg_ROBOT} ABSOLUTE)
    set(description ${arg_ROBOT})
  endif()
  set(options --lang c --single-file --prefix ${target})
  if(arg_REAL)
    list(APPEND options --real ${arg_REAL})
  endif()
  foreach(function IN LISTS arg_FUNCTIONS)
    list(APPEND options --function ${function})
  endforeach()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/dynagen/${target})
  set(files ${folder}/include/${target}.h ${folder}/src/${target}.c ${folder}/test/${target}_golden.c)
  add_custom_command(
    OUTPUT ${files}
    COMMAND ${DYNAGEN} ${arg_ROBOT} ${options} ${arg_OPTIONS} --out ${folder} --depfile ${folder}.d --report none
    DEPENDS ${description}
    DEPFILE ${folder}.d
    COMMENT "Generating and proving ${target}"
    VERBATIM
  )
  list(POP_BACK files golden)
  add_library(${target} ${files})
  add_library(${target}::${target} ALIAS ${target})
  target_include_directories(${target} PUBLIC ${folder}/include)
  target_compile_features(${target} PUBLIC c_std_99)
  if(NOT WIN32)
    target_link_libraries(${target} PUBLIC -lm)
  endif()
  if(arg_GOLDEN_TEST)
    add_executable(${target}_golden ${golden})
    target_link_libraries(${target}_golden PRIVATE ${target}::${target})
    add_test(NAME ${target}_golden COMMAND ${target}_golden)
  endif()
endfunction()
