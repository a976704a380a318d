/* Descriptors of Bifrost and Valhall (v6, v7, v9) word by word against what they mean. */
#include "tests/gpu/mali/guest.h"

#include "gpu/mali/desc.h"

/* An internal blend of v6 in each mode. */
static void test_internal_blend(void **state)
{
    struct mali_internal_blend b;
    /* a shader's address, which has four zeros below, and where it returns to, which has three */
    const uint32_t shader[] = {MALI_BLEND_MODE_SHADER | 0x1238, 0x00abcde0};
    mali_desc_unpack(&mali_desc_internal_blend, MALI_V6, shader, &b);
    assert_int_equal(b.mode, MALI_BLEND_MODE_SHADER);
    assert_int_equal(b.shader_return_value, 0x1238);
    assert_int_equal(b.shader_pc, 0x00abcde0);
    /* target 3, four components of RGBA8 UNORM in the order of RGBA (v6: three bits each), from F16 */
    const uint32_t swizzle = 0 | 1 << 3 | 2 << 6 | 3 << 9;
    const uint32_t conversion = MALI_FORMAT_RGBA8_UNORM << 12 | 1 << 20 | swizzle;
    for (uint32_t mode = MALI_BLEND_MODE_OPAQUE; mode <= MALI_BLEND_MODE_OFF; mode++) {
        const uint32_t fixed[] = {mode | 3 << 3 | 1 << 6 | 3 << 16,
                                  conversion | (uint32_t)MALI_REGISTER_FILE_FORMAT_U16 << 24};
        mali_desc_unpack(&mali_desc_internal_blend, MALI_V6, fixed, &b);
        assert_int_equal(b.mode, mode);
        assert_int_equal(b.num_comps, 4);
        assert_true(b.alpha_one_store && !b.alpha_zero_nop && b.conversion_memory_srgb && !b.conversion_raw);
        assert_int_equal(b.rt, 3);
        assert_int_equal(b.conversion_memory_format, MALI_FORMAT_RGBA8_UNORM);
        assert_int_equal(b.conversion_memory_order, swizzle);
        assert_int_equal(b.conversion_register_format, MALI_REGISTER_FILE_FORMAT_U16);
    }
    const uint32_t raw = 1 << 22 | MALI_FORMAT_R32UI << 12;
    struct mali_internal_conversion c;
    mali_desc_unpack(&mali_desc_internal_conversion, MALI_V9, &raw, &c);
    assert_true(c.raw && c.memory_format == MALI_FORMAT_R32UI && !c.memory_srgb);
}

/* The same in the third and fourth word of a blend record, behind the equation; v9 has no returns. */
static void test_blend(void **state)
{
    /* source + destination * (1 - source alpha), all of RGBA */
    const uint32_t half = MALI_BLEND_OPERAND_A_SRC | MALI_BLEND_OPERAND_B_DEST << 4 |
                          MALI_BLEND_OPERAND_C_SRC_ALPHA << 8 | 1 << 11;
    const uint32_t words[] = {1 << 9 | 1 << 10 | 0xff00u << 16, half | half << 12 | 15u << 28,
                              MALI_BLEND_MODE_FIXED_FUNCTION | 2 << 3 | 7 << 16,
                              MALI_FORMAT_RGB10_A2_UNORM << 12};
    static const enum mali_version versions[] = {MALI_V6, MALI_V7, MALI_V9};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(versions); n++) {
        struct mali_blend b;
        mali_desc_unpack(&mali_desc_blend, versions[n], words, &b);
        assert_true(b.enable && b.srgb && !b.load_destination && !b.alpha_to_one);
        assert_int_equal(b.constant_unorm, 0xff00);
        assert_int_equal(b.rgb_a, MALI_BLEND_OPERAND_A_SRC);
        assert_int_equal(b.alpha_b, MALI_BLEND_OPERAND_B_DEST);
        assert_int_equal(b.alpha_c, MALI_BLEND_OPERAND_C_SRC_ALPHA);
        assert_true(b.rgb_invert_c && b.alpha_invert_c && !b.rgb_negate_a && b.color_mask == 15);
        assert_int_equal(b.mode, MALI_BLEND_MODE_FIXED_FUNCTION);
        assert_int_equal(b.num_comps, 3);
        assert_int_equal(b.rt, 7);
        assert_int_equal(b.conversion_memory_format, MALI_FORMAT_RGB10_A2_UNORM);
        assert_int_equal(b.shader_return_value != 0, versions[n] != MALI_V9);
        assert_true(b.constant == 0 && !b.blend_shader); /* Midgard's */
    }
}

static void test_tiler_context(void **state)
{
    uint32_t words[MALI_DESC_WORDS] = {0x02000100,
                                       1,
                                       0x28 | MALI_SAMPLE_PATTERN_ROTATED_4X_GRID << 13 | 1 << 16,
                                       1919 | 1079 << 16,
                                       [6] = 0x02100000,
                                       [8] = 5 << 16,
                                       [15] = 9u << 16,
                                       [32] = 1,
                                       [47] = 77};
    struct mali_tiler_v6 t;
    assert_int_equal(mali_desc_tiler_v6.bytes[MALI_V7], 192);
    mali_desc_unpack(&mali_desc_tiler_v6, MALI_V7, words, &t);
    assert_int_equal(t.polygon_list, 0x102000100);
    assert_int_equal(t.hierarchy_mask, 0x28);
    assert_int_equal(t.sample_pattern, MALI_SAMPLE_PATTERN_ROTATED_4X_GRID);
    assert_true(t.update_cost_table && !t.first_provoking_vertex);
    assert_int_equal(t.fb_width, 1920);
    assert_int_equal(t.fb_height, 1080);
    assert_int_equal(t.heap, 0x02100000);
    assert_true(t.weight0 == 5 && t.weight7 == 9 && t.state_word_0 == 1 && t.state_word_15 == 77);
    assert_int_equal(t.layer_count, 0); /* v9's */
    words[2] |= 3 << 17;
    words[4] = 3 | 0x1ffu << 8;
    mali_desc_unpack(&mali_desc_tiler_v6, MALI_V9, words, &t);
    assert_true(t.sample_test_disable && t.first_provoking_vertex && t.layer_count == 4);
    assert_int_equal(t.layer_offset, -1);
}

/* A state of v7: bits of a program's stage, and a message before its first instruction. */
static void test_state(void **state)
{
    uint32_t words[MALI_DESC_WORDS] = {
        [0] = 0x02400000, [2] = 2 | 3 << 16, [3] = 1 | 4 << 16, [15] = 0xf800u << 16};
    words[4] = MALI_SHADER_REGISTER_ALLOCATION_32_PER_THREAD << 12 | 1 << 19 |
               MALI_PIXEL_KILL_WEAK_EARLY << 21 | MALI_PIXEL_KILL_FORCE_LATE << 23 | 1u << 30;
    words[12] = 1 << 11 | 1 << 13 | 5 << 15;
    words[15] = MALI_MESSAGE_TYPE_VAR_TEX | 5 << 4 | 2 << 7 | 1 << 9 | 1 << 15 |
                (uint32_t)(MALI_MESSAGE_TYPE_LD_VAR | 21 << 4 | 3 << 11) << 16;
    struct mali_state s;
    mali_desc_unpack(&mali_desc_state, MALI_V7, words, &s);
    assert_true(s.shader == 0x02400000 && s.sampler_count == 2 && s.texture_count == 3);
    assert_true(s.attribute_count == 1 && s.varying_count == 4);
    assert_int_equal(s.shader_register_allocation, MALI_SHADER_REGISTER_ALLOCATION_32_PER_THREAD);
    assert_true(s.allow_forward_pixel_to_kill && !s.allow_forward_pixel_to_be_killed);
    assert_int_equal(s.pixel_kill_operation, MALI_PIXEL_KILL_WEAK_EARLY);
    assert_int_equal(s.zs_update_operation, MALI_PIXEL_KILL_FORCE_LATE);
    assert_true(s.shader_wait_dependency_6 && !s.shader_wait_dependency_7);
    assert_true(s.preload_fragment_position && s.preload_fragment_sample_mask_id && s.preload_vertex_id &&
                !s.preload_fragment_coverage);
    assert_int_equal(s.preload_uniform_count, 5);
    assert_int_equal(s.message_preload_1_type, MALI_MESSAGE_TYPE_VAR_TEX);
    assert_true(s.message_preload_1_var_tex_varying_index == 5 &&
                s.message_preload_1_var_tex_texture_index == 2);
    assert_true(s.message_preload_1_var_tex_zero_lod && !s.message_preload_1_var_tex_skip);
    assert_int_equal(s.message_preload_1_var_tex_register_format, MALI_MESSAGE_PRELOAD_REGISTER_FORMAT_F16);
    assert_int_equal(s.message_preload_2_type, MALI_MESSAGE_TYPE_LD_VAR);
    assert_true(s.message_preload_2_ld_var_varying_index == 21 &&
                s.message_preload_2_ld_var_num_components == 4);
    assert_true(!s.work_register_count && !s.fp_mode && s.alpha_reference == 0); /* Midgard's */
}

static void test_textures(void **state)
{
    uint32_t words[MALI_DESC_WORDS] = {MALI_DESCRIPTOR_TYPE_TEXTURE | MALI_TEXTURE_DIMENSION_2D << 4 |
                                           (uint32_t)MALI_FORMAT_RGBA8_UNORM << 22 |
                                           MALI_RGB_COMPONENT_ORDER_BGRA << 10 | 1u << 30,
                                       255 | 127 << 16,
                                       0x688 | MALI_TEXTURE_LAYOUT_LINEAR << 12 | 8 << 16 | 1 << 24,
                                       0x180 | 2 << 13 | 0x7ffu << 16,
                                       0x02200000,
                                       0,
                                       5};
    struct mali_texture t;
    mali_desc_unpack(&mali_desc_texture, MALI_V7, words, &t);
    assert_true(t.type == MALI_DESCRIPTOR_TYPE_TEXTURE && t.dimension == MALI_TEXTURE_DIMENSION_2D);
    assert_true(t.format == MALI_FORMAT_RGBA8_UNORM && t.srgb && t.order == MALI_RGB_COMPONENT_ORDER_BGRA);
    assert_true(t.width == 256 && t.height == 128 && t.levels == 9 && t.minimum_level == 1);
    assert_true(t.swizzle == 0x688 && t.texel_ordering == MALI_TEXTURE_LAYOUT_LINEAR);
    assert_true(t.minimum_lod == 0x180 && t.maximum_lod == 0x7ff); /* of 256 */
    assert_true(t.sample_count == 4 && t.array_size == 6 && t.depth == 1 && t.surfaces == 0x02200000);
    mali_desc_unpack(&mali_desc_texture, MALI_V9, words, &t);
    assert_true(!t.texel_ordering && !t.texel_interleave && t.sample_count == 4);

    const uint32_t sampler[8] = {MALI_DESCRIPTOR_TYPE_SAMPLER | MALI_WRAP_MODE_REPEAT << 16 | 1 << 25 |
                                     1 << 28 | (uint32_t)MALI_MIPMAP_MODE_TRILINEAR << 30,
                                 0x100 | MALI_FUNC_LEQUAL << 13 | 0x1fffu << 16, 0xff80 | 15 << 16, 0, 1};
    struct mali_sampler s;
    mali_desc_unpack(&mali_desc_sampler, MALI_V9, sampler, &s);
    assert_true(s.wrap_mode_s == MALI_WRAP_MODE_REPEAT && s.normalized_coordinates && s.magnify_nearest);
    assert_true(!s.minify_nearest && s.mipmap_mode == MALI_MIPMAP_MODE_TRILINEAR);
    assert_true(s.minimum_lod == 0x100 && s.maximum_lod == 0x1fff && s.lod_bias == -0x80);
    assert_true(s.compare_function == MALI_FUNC_LEQUAL && s.maximum_anisotropy == 16 &&
                s.border_color_r == 1);
}

/* A plane's overlays. */
static void test_planes(void **state)
{
    struct mali_plane p;
    const uint32_t generic[8] = {MALI_DESCRIPTOR_TYPE_PLANE | MALI_PLANE_TYPE_GENERIC << 4 |
                                     MALI_CLUMP_ORDERING_LINEAR << 8 | MALI_CLUMP_FORMAT_RAW32 << 24,
                                 4096,
                                 0x02300000,
                                 2,
                                 256,
                                 0,
                                 (uint32_t)-4096};
    mali_desc_unpack(&mali_desc_plane, MALI_V9, generic, &p);
    assert_true(p.type == MALI_DESCRIPTOR_TYPE_PLANE && p.plane_type == MALI_PLANE_TYPE_GENERIC);
    assert_true(p.clump_ordering == MALI_CLUMP_ORDERING_LINEAR && p.clump_format == MALI_CLUMP_FORMAT_RAW32);
    assert_true(p.size == 4096 && p.pointer == 0x202300000 && p.row_stride == 256 && p.slice_stride == -4096);
    const uint32_t afbc[8] = {MALI_DESCRIPTOR_TYPE_PLANE | MALI_PLANE_TYPE_AFBC << 4 |
                                  MALI_AFBC_SUPERBLOCK_SIZE_32X8 << 8 | 1 << 16 | 1 << 19 |
                                  (uint32_t)MALI_AFBC_COMPRESSION_MODE_R8G8B8A8 << 26,
                              0,
                              0,
                              0,
                              0,
                              512};
    mali_desc_unpack(&mali_desc_plane, MALI_V9, afbc, &p);
    assert_int_equal(p.afbc_superblock_size, MALI_AFBC_SUPERBLOCK_SIZE_32X8);
    assert_true(p.afbc_ytr && p.afbc_tiled_header && !p.afbc_split_block && !p.afbc_prefetch);
    assert_int_equal(p.afbc_compression_mode, MALI_AFBC_COMPRESSION_MODE_R8G8B8A8);
    assert_int_equal(p.afbc_header_stride, 512);
    const uint32_t astc[8] = {MALI_DESCRIPTOR_TYPE_PLANE | MALI_PLANE_TYPE_ASTC_2D << 4 | 1 << 25 |
                              MALI_ASTC_2D_DIMENSION_8 << 26 | (uint32_t)MALI_ASTC_2D_DIMENSION_6 << 29};
    mali_desc_unpack(&mali_desc_plane, MALI_V9, astc, &p);
    assert_true(p.astc_decode_wide && !p.astc_decode_hdr);
    assert_int_equal(p.astc_2d_block_width, MALI_ASTC_2D_DIMENSION_8);
    assert_int_equal(p.astc_2d_block_height, MALI_ASTC_2D_DIMENSION_6);
    const uint32_t solid[8] = {MALI_ASTC_3D_DIMENSION_5 << 26 | MALI_ASTC_3D_DIMENSION_4 << 28 |
                                   (uint32_t)MALI_ASTC_3D_DIMENSION_3 << 30,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0x02310000};
    mali_desc_unpack(&mali_desc_plane, MALI_V9, solid, &p);
    assert_int_equal(p.astc_3d_block_width, MALI_ASTC_3D_DIMENSION_5);
    assert_int_equal(p.astc_3d_block_depth, MALI_ASTC_3D_DIMENSION_3);
    assert_int_equal(p.two_plane_yuv_chroma_secondary_pointer, 0x02310000);
}

static void test_program(void **state)
{
    const uint32_t words[8] = {MALI_DESCRIPTOR_TYPE_SHADER | MALI_SHADER_STAGE_FRAGMENT << 4 | 1 << 8 |
                                   MALI_FLUSH_TO_ZERO_MODE_ALWAYS << 17 | 1 << 28 |
                                   (uint32_t)MALI_SHADER_REGISTER_ALLOCATION_32_PER_THREAD << 30,
                               1 << (59 - 48) | 1 << (60 - 48), 0x02400080};
    struct mali_program p;
    mali_desc_unpack(&mali_desc_program, MALI_V9, words, &p);
    assert_true(p.type == MALI_DESCRIPTOR_TYPE_SHADER && p.stage == MALI_SHADER_STAGE_FRAGMENT);
    assert_int_equal(p.fragment_coverage_bitmask_type, MALI_COVERAGE_BITMASK_TYPE_GL);
    assert_int_equal(p.vertex_warp_limit, MALI_WARP_LIMIT_HALF); /* of a vertex program */
    assert_true(!p.suppress_nan && !p.suppress_inf && p.requires_helper_threads &&
                !p.shader_contains_jump_ex);
    assert_int_equal(p.flush_to_zero_mode, MALI_FLUSH_TO_ZERO_MODE_ALWAYS);
    assert_int_equal(p.register_allocation, MALI_SHADER_REGISTER_ALLOCATION_32_PER_THREAD);
    assert_true(p.preload == 0x1800 && p.preload_r59 && p.preload_r60 && !p.preload_r61 && !p.preload_r58);
    assert_int_equal(p.binary, 0x02400080);
}

/* v9's draws: a count below a pointer, what indices are, tables of resources with their number. */
static void test_draw(void **state)
{
    uint32_t words[MALI_DESC_WORDS] = {0};
    words[0] = MALI_PIXEL_KILL_FORCE_LATE << 2 | MALI_PIXEL_KILL_WEAK_EARLY << 4 | 1 << 16 | 1 << 18;
    words[1] = 0xffff | 3 << 16;
    words[7] = 0x3f800000;
    words[10] = 0x02500000;
    words[12] = 0x02500040 | 2;
    struct mali_draw_v9 d;
    mali_desc_unpack(&mali_desc_draw_v9, MALI_V9, words, &d);
    assert_true(d.pixel_kill_operation == MALI_PIXEL_KILL_FORCE_LATE &&
                d.zs_update_operation == MALI_PIXEL_KILL_WEAK_EARLY);
    assert_true(d.front_face_ccw && !d.cull_front_face && d.cull_back_face);
    assert_true(d.sample_mask == 0xffff && d.render_target_mask == 3 && d.maximum_z == 1);
    assert_true(d.depth_stencil == 0x02500000 && d.blend_count == 2 && d.blend == 0x02500040);

    struct mali_primitive p;
    const uint32_t primitive[] = {MALI_DRAW_MODE_TRIANGLES | MALI_INDEX_TYPE_UINT16 << 8 | 1 << 15 | 1 << 19,
                                  (uint32_t)-3, 2, 36};
    mali_desc_unpack(&mali_desc_primitive, MALI_V9, primitive, &p);
    assert_true(p.draw_mode == MALI_DRAW_MODE_TRIANGLES && p.index_type == MALI_INDEX_TYPE_UINT16);
    assert_true(p.allow_rotating_primitives && !p.first_provoking_vertex && p.primitive_restart);
    assert_string_equal(mali_desc_primitive.fields[MALI_V9][0].name, "draw mode");
    assert_int_equal(p.base_vertex_offset, (uint32_t)-3);
    assert_true(p.instance_offset == 2 && p.index_count == 36 && !p.indices);

    struct mali_resource r;
    const uint32_t resource[] = {0x02600000, 1 << 24 | 3, 64, 0};
    mali_desc_unpack(&mali_desc_resource, MALI_V9, resource, &r);
    assert_true(r.address == 0x302600000 && r.contains_descriptors && r.size == 64);

    struct mali_write_value v;
    const uint32_t value[] = {0x02700000, 0, MALI_WRITE_VALUE_TYPE_IMMEDIATE_64, 0, 0x89abcdef, 0x01234567};
    mali_desc_unpack(&mali_desc_write_value, MALI_V9, value, &v);
    assert_true(v.immediate_value == 0x0123456789abcdef && v.type == MALI_WRITE_VALUE_TYPE_IMMEDIATE_64);
}

/* A listing names what stands in the words, wide numbers as well. */
static void test_listing(void **state)
{
    struct gpu_field fields[MALI_DESC_FIELDS];
    uint32_t words[MALI_DESC_WORDS] = {[2] = 0x89abcdef, [3] = 0x01234567};
    unsigned count = mali_desc_list(&mali_desc_mfb, MALI_V9, words, fields), n = 0;
    while (n < count && strcmp(fields[n].name, "frame argument") != 0)
        n++;
    assert_true(n < count && fields[n].value == 0x0123456789abcdef);
    memset(words, 0, sizeof words);
    words[1] = MALI_TILE_RENDER_ORDER_REVERSE_VERTICAL << 28;
    count = mali_desc_list(&mali_desc_fragment, MALI_V9, words, fields);
    assert_int_equal(count, 1);
    assert_string_equal(fields[0].word, "reverse vertical");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_internal_blend), cmocka_unit_test(test_blend),
        cmocka_unit_test(test_tiler_context),  cmocka_unit_test(test_state),
        cmocka_unit_test(test_textures),       cmocka_unit_test(test_planes),
        cmocka_unit_test(test_program),        cmocka_unit_test(test_draw),
        cmocka_unit_test(test_listing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
